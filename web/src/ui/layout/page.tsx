import { IconArrowLeft, IconChevronRight, IconExternalLink } from "@tabler/icons-react";
import { Link } from "react-router";
import { t } from "../../texts/text.js";
import { isShared } from "../access/shared.js";
import { readable } from "../format/words.js";
import classes from "./page.module.css";

/** A page for reading: 1,200 px of content with gutters; `wide` uses the whole width. */
export function Page({ children, wide = false }: { children: React.ReactNode; wide?: boolean }) {
  return <div className={wide ? classes["wide"] : classes["page"]}>{children}</div>;
}

export interface Crumb {
  readonly label: string;
  readonly to?: string;
}

/** Breadcrumbs; the last one is this page. */
export function Crumbs({ items }: { items: readonly Crumb[] }) {
  return (
    <nav aria-label={t("Breadcrumb")}>
      <ol className={classes["crumbs"]}>
        {items.map((item, index) => (
          <li key={`${index} ${item.label}`} className={index === items.length - 1 ? classes["lastCrumb"] : undefined}>
            {index > 0 && <IconChevronRight size={14} aria-hidden />}
            {item.to === undefined || isShared ? (
              <span
                aria-current={index === items.length - 1 ? "page" : undefined}
                className="truncate"
                title={item.label}
              >
                {item.label}
              </span>
            ) : (
              <Link to={item.to} className={classes["crumb"]} dir="auto" title={item.label}>
                {item.label}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** A link one level up, for pages below another. */
export function BackLink({ to, children }: { to: string; children: React.ReactNode }) {
  if (isShared) return <span className="text-2 truncate">{children}</span>;
  return (
    <Link to={to} className={classes["back"]}>
      <IconArrowLeft size={15} aria-hidden />
      <span className="truncate" title={typeof children === "string" ? children : undefined}>
        {children}
      </span>
    </Link>
  );
}

/** Title row: name and address left, actions right; `apart`: what is below the title is placed below the actions too. */
export function PageHead({
  above,
  title,
  below,
  actions,
  apart = false,
}: {
  above?: React.ReactNode;
  title: React.ReactNode;
  below?: React.ReactNode;
  actions?: React.ReactNode;
  apart?: boolean;
}) {
  return (
    <header className={classes["headBlock"]}>
      {above}
      <div className={classes["head"]} data-apart={apart || undefined}>
        <div className={classes["names"]}>
          <h1 className={`title ${classes["h1"]}`}>{title}</h1>
          {below}
        </div>
        {actions !== undefined && <div className={classes["actions"]}>{actions}</div>}
      </div>
    </header>
  );
}

/** A link to the monitored site, opened in another tab that learns nothing about us. */
export function SiteLink({ url, children }: { url: string; children?: React.ReactNode }) {
  const safe = /^https?:\/\//i.test(url);
  if (!safe) return <span className={`mono text-2 ${classes["site"]}`}>{children ?? readable(url)}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={`mono text-2 ${classes["site"]}`} title={url}>
      <span className={classes["siteText"]}>{children ?? readable(url)}</span>
      <IconExternalLink size={14} aria-hidden />
      <span className="sr-only">{t("(opens in a new tab)")}</span>
    </a>
  );
}
