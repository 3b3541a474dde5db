import { useState } from "react";
import type { DiffViewHandle } from "./diff-view.js";

/** From change to change; one that is out of sight is gone back to first. */
export function useSteps(total: number, handle: React.RefObject<DiffViewHandle | null>) {
  const [picked, pick] = useState(0);
  const current = Math.min(picked, Math.max(0, total - 1));
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
