import type { ChangeKind, InstanceStatus, SnapshotState } from "@web-tester/contracts/entities/vocabulary";
import { t } from "../../texts/text.js";

/** What is shown of instances, and of snapshots, which can be stopped besides. */
export type ShownStatus = InstanceStatus | "cancelled";

/** The state of one snapshot as lists show it: how its fetch went, then how it compares. */
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

/** The HTTP status beside "Failed": only one that says why. A page that was cut off or too large came with a 200. */
export const failureStatus = (status: ShownStatus, httpStatus: number | null): number | undefined =>
  status === "failed" && httpStatus !== null && httpStatus >= 300 ? httpStatus : undefined;

/** Whether the picture of a snapshot can still change by itself. */
export const isUnsettled = ({ state, change }: { state: SnapshotState; change: ChangeKind | null }): boolean =>
  state === "created" ||
  state === "queued" ||
  state === "running" ||
  (state === "done" && (change === null || change === "pending"));

/** A page's HTTP status as shown; 304 alone would leave open why there is content. */
export const httpStatusText = (httpStatus: number): string =>
  httpStatus === 304 ? t("304 Not Modified") : String(httpStatus);
