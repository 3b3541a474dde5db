import type { HistoryTick } from "@web-tester/contracts/entities/instance";
import {
  changeKind,
  type ChangeKind,
  type InstanceStatus,
  type PageFact,
} from "@web-tester/contracts/entities/vocabulary";

/** A snapshot in its instance's history. `change`: as recorded by the differ, null until then. */
export interface TickRow {
  id: string;
  state: string;
  change: string | null;
  size: number;
  files_changed: number | null;
  facts_changed: PageFact[];
}

/** The status that an instance has because of its snapshot in this state. */
export function statusOf(state: string, change: string | null): InstanceStatus {
  switch (state) {
    case "failed":
    case "running":
    case "queued":
      return state;
    case "done":
      return change === "changed" || change === "first" || change === "unchanged" ? change : "fetched";
    default:
      return "none";
  }
}

export function toTick(row: Pick<TickRow, "id" | "state" | "change" | "size">): HistoryTick {
  return { snapshot_id: row.id, status: statusOf(row.state, row.change), size: row.size };
}

/** The result of comparing a snapshot with the one before it: null where nothing was fetched, pending until the differ has compared it. */
export function changeOf(row: { change_state: string | null; change: string | null }): ChangeKind | null {
  if (row.change_state === null) return null;
  return row.change_state === "done" && row.change !== null ? changeKind.parse(row.change) : "pending";
}
