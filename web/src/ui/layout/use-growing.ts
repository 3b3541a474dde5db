import { startTransition, useEffect, useState } from "react";

/**
 * How many of `total` parts to draw: `first()` of them at once, and `step` more each time those stand on the screen, with
 * what a person does in between coming first. What was drawn once stays drawn when the total changes.
 */
export function useGrowing(total: number, first: () => number, step: number): number {
  const [drawn, setDrawn] = useState(first);
  useEffect(() => {
    if (drawn < total) startTransition(() => setDrawn(drawn + step));
  }, [drawn, total, step]);
  return Math.min(drawn, total);
}
