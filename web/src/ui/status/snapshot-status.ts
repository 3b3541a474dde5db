import type { ChangeKind, InstanceStatus, SnapshotState } from "@web-tester/contracts/entities/vocabulary";
import { t } from "../../texts/text.js";

/** The status of instances and of snapshots; only snapshots can be stopped. */
export type ShownStatus = InstanceStatus | "cancelled";

/** The status of one snapshot in lists: how its fetch went, then how it compares. */
export function snapshotStatus({ state, change }: { state: SnapshotState; change: ChangeKind | null }): ShownStatus {
  switch (state) {
    case "created":
    case "queued":
      return "queued";
    case "running":
    case "failed":
    case "cancelled":
      return state;
    case "done":
      return change === null || change === "pending" ? "fetched" : change;
  }
}

/** The HTTP status beside "Failed", only where it is the reason: a page that was cut off or too large came with a 200. */
export const failureStatus = (status: ShownStatus, httpStatus: number | null): number | undefined =>
  status === "failed" && httpStatus !== null && httpStatus >= 300 ? httpStatus : undefined;

/** Whether the status of a snapshot can still change by itself. */
export const isUnsettled = ({ state, change }: { state: SnapshotState; change: ChangeKind | null }): boolean =>
  state === "created" ||
  state === "queued" ||
  state === "running" ||
  (state === "done" && (change === null || change === "pending"));

/** The text of a page's HTTP status; 304 alone would not explain why there is content. */
export const httpStatusText = (httpStatus: number): string =>
  httpStatus === 304 ? t("304 Not Modified") : String(httpStatus);
