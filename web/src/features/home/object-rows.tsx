import type { TestObject } from "@web-tester/contracts/entities/object";
import { startTransition, useEffect, useState } from "react";
import { ObjectRow } from "./object-row.js";
import classes from "./object-list.module.css";

/** The lowest that a row is, in px. */
const rowHeight = 62;
/** As many as a screen has room for, were there nothing above them. */
const firstRows = () => Math.ceil(window.innerHeight / rowHeight);
const rowsAtATime = 20;

/** The rows of the list. Those below the screen are drawn after the first ones stand; until then their place is kept. */
export function ObjectRows({ objects }: { objects: readonly TestObject[] }) {
  const drawn = useGrowing(objects.length, firstRows, rowsAtATime);
  return (
    <ul className={classes["rows"]} style={{ ["--missing" as string]: objects.length - drawn }}>
      {objects.slice(0, drawn).map((object) => (
        <ObjectRow key={object.id} object={object} />
      ))}
    </ul>
  );
}

/**
 * How many of `total` parts to draw: `first()` of them at once, and `step` more each time those stand on the screen, with
 * what a person does in between coming first. What was drawn once stays drawn when the total changes.
 */
function useGrowing(total: number, first: () => number, step: number): number {
  const [drawn, setDrawn] = useState(first);
  useEffect(() => {
    if (drawn < total) startTransition(() => setDrawn(drawn + step));
  }, [drawn, total, step]);
  return Math.min(drawn, total);
}
