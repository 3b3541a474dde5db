import { useState } from "react";
import type { DiffViewHandle } from "./diff-view.js";

/**
 * Steps from change to change; where the current one is out of sight, the first step goes back to it.
 * @param start index of the change that is current before any step
 */
export function useSteps(total: number, handle: React.RefObject<DiffViewHandle | null>, start = 0) {
  const [picked, pick] = useState<number>();
  const current = Math.min(picked ?? start, Math.max(0, total - 1));
  const step = (by: 1 | -1) => {
    if (total === 0) return;
    const where = handle.current?.where(current) ?? "here";
    const stay = (by === 1 && where === "below") || (by === -1 && where === "above");
    const next = stay ? current : (current + by + total) % total;
    pick(next);
    handle.current?.show(next);
  };
  return { current, pick, step };
}
