import { useState } from "react";
import type { DiffViewHandle } from "./diff-view.js";

/**
 * From change to change; one that is out of sight is gone back to first.
 * @param start the change on which one stands before one went anywhere, from 0
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
