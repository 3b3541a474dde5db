import type { MessageName } from "@web-tester/contracts/messages";
import type { Metrics } from "./metrics.js";

/** How the handling of a message ended: finished, to be retried later, failed by a fault of ours, or dropped because it does not fit its schema. */
export type MessageEnd = "done" | "again" | "failed" | "dropped";

/** Called for every message that was handled. */
export type OnHandled = (name: MessageName, lane: string | undefined, end: MessageEnd, seconds: number) => void;
/** Called for rows that had lost their message ("lost") or their worker ("expired") and were queued again. */
type CountRecovered = (name: MessageName, why: "lost" | "expired", rows: number) => void;

/** Creates the metrics for messages that a process takes from the bus. */
export function countMessages(metrics: Metrics): { onHandled: OnHandled; countRecovered: CountRecovered } {
  const handled = metrics.histogram("message_seconds", "Time to handle one message, by how it ended", [
    "message",
    "lane",
    "end",
  ]);
  const recovered = metrics.counter(
    "rows_recovered_total",
    "Rows that had lost their message or their worker and were queued anew",
    ["message", "why"],
  );
  return {
    onHandled: (message, lane, end, seconds) => handled.observe({ message, lane: lane ?? "", end }, seconds),
    countRecovered: (message, why, rows) => recovered.inc({ message, why }, rows),
  };
}
