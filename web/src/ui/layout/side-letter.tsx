import classes from "./side-letter.module.css";

/** The letter of a side of a comparison: A in the colour of removed text, B in that of added text; without colour in pickers. */
export const SideLetter = ({ side, quiet = false }: { side: "A" | "B"; quiet?: boolean }) => (
  <span className={classes["letter"]} data-side={quiet ? undefined : side} aria-hidden>
    {side}
  </span>
);
