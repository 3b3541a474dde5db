import type { TestObject } from "@web-tester/contracts/entities/object";
import { startTransition, useEffect, useState } from "react";
import { ObjectRow } from "./object-row.js";
import classes from "./object-list.module.css";

/** The least height of a row, in px. */
const rowHeight = 62;
/** How many rows fit on a screen without anything above them. */
const firstRows = () => Math.ceil(window.innerHeight / rowHeight);
const rowsAtATime = 20;

/** The rows of the list. Those below the screen are rendered after the first ones; until then their space is reserved. */
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
 * How many of `total` parts to render: `first()` at once, and `step` more each time those are on the screen, as a transition that
 * yields to what a person does meanwhile. What was rendered stays when the total changes.
 */
function useGrowing(total: number, first: () => number, step: number): number {
  const [drawn, setDrawn] = useState(first);
  useEffect(() => {
    if (drawn < total) startTransition(() => setDrawn(drawn + step));
  }, [drawn, total, step]);
  return Math.min(drawn, total);
}
