import type { TestObject } from "@web-tester/contracts/entities/object";
import { useMemo } from "react";

/** An object as parts see it that do not show counters: of each bar only whether it runs. */
function calmKey({ progress, ...rest }: TestObject): string {
  return JSON.stringify([rest, Object.values(progress).map((bar) => bar.running)]);
}

/**
 * The same object until something other than a bar's counters changes, so that fifty events a second redraw the bars
 * and nothing else.
 */
export function useCalm(object: TestObject): TestObject {
  const key = calmKey(object);
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => object, [key]);
}
