import type { TestObject } from "@web-tester/contracts/entities/object";
import { useMemo } from "react";

/** Serialises an object for parts that show no counters: of each bar only whether it is running. */
function calmKey({ progress, ...rest }: TestObject): string {
  return JSON.stringify([rest, Object.values(progress).map((bar) => bar.running)]);
}

/**
 * Returns the same object until something other than a bar's counters changes, so that fifty events a second render only the bars
 * again.
 */
export function useCalm(object: TestObject): TestObject {
  const key = calmKey(object);
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => object, [key]);
}
