import type { RowModel } from "./row-model.js";

/** A coloured part of the overview, in slots from the top; `to` is exclusive. */
export interface RulerMark {
  readonly from: number;
  readonly to: number;
  readonly removed: boolean;
  readonly added: boolean;
  /** How much of the part is changed: 1 (little) to 4 (a lone change, or all of it). */
  readonly share: number;
}

/**
 * Maps all changes to a ruler of `slots` slots: any number of changes becomes at most `slots` marks, and none is lost. Where a slot
 * covers many rows, `share` tells how many of them changed.
 */
export function rulerMarks({ rows, changes }: RowModel, slots: number): RulerMark[] {
  const removed = new Uint8Array(slots);
  const added = new Uint8Array(slots);
  const changed = new Float64Array(slots);
  const rowsPerSlot = rows.length / slots;
  for (const change of changes) {
    const from = Math.min(slots - 1, Math.floor((change.first / rows.length) * slots));
    const to = Math.max(from + 1, Math.min(slots, Math.ceil(((change.last + 1) / rows.length) * slots)));
    const perSlot = (change.last + 1 - change.first) / (to - from);
    for (let slot = from; slot < to; slot += 1) {
      if (change.removed) removed[slot] = 1;
      if (change.added) added[slot] = 1;
      changed[slot] = (changed[slot] ?? 0) + perSlot;
    }
  }
  const isDense = changes.length > slots;
  const marks: RulerMark[] = [];
  for (let slot = 0; slot < slots; slot += 1) {
    const share = isDense
      ? Math.max(1, Math.min(4, Math.ceil(((changed[slot] ?? 0) / Math.max(1, rowsPerSlot)) * 4)))
      : 4;
    const mark = { removed: removed[slot] === 1, added: added[slot] === 1, share };
    if (!mark.removed && !mark.added) continue;
    const last = marks.at(-1);
    if (
      last !== undefined &&
      last.to === slot &&
      last.removed === mark.removed &&
      last.added === mark.added &&
      last.share === share
    )
      marks[marks.length - 1] = { ...last, to: slot + 1 };
    else marks.push({ from: slot, to: slot + 1, ...mark });
  }
  return marks;
}

/** The change at or after a row, else the last one; undefined where there is none. */
export function changeNear(changes: RowModel["changes"], row: number): number | undefined {
  const found = changes.findIndex((change) => change.last >= row);
  if (found >= 0) return found;
  return changes.length === 0 ? undefined : changes.length - 1;
}
