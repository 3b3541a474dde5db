import classes from "./side-letter.module.css";

/** The letter of a side of a comparison: A in the colour of what went, B in that of what came; quiet in pickers. */
export const SideLetter = ({ side, quiet = false }: { side: "A" | "B"; quiet?: boolean }) => (
  <span className={classes["letter"]} data-side={quiet ? undefined : side} aria-hidden>
    {side}
  </span>
);
