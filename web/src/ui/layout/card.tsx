import classes from "./card.module.css";

/** A bordered surface with an optional title row; `aside` stands at the right of the title. */
export function Card({
  title,
  aside,
  children,
  className,
  flush = false,
}: {
  title?: React.ReactNode;
  aside?: React.ReactNode;
  children?: React.ReactNode;
  className?: string | undefined;
  flush?: boolean;
}) {
  return (
    <section className={[classes["card"], className].filter(Boolean).join(" ")} data-flush={flush || undefined}>
      {title !== undefined && (
        <header className={classes["head"]}>
          <h2 className={classes["title"]}>{title}</h2>
          {aside !== undefined && <div className={classes["aside"]}>{aside}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
