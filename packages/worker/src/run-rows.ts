import { type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { type LeasedTable, releaseRows, renewRows } from "@web-tester/records/leases/leased-rows";
import { type Held, keepLease, type Lease, leaseMsOf } from "./lease.js";
import type { WorkApart } from "./work-apart.js";

/** How the work on one row ended. */
export type RowOutcome =
  /** The row is settled. `record` writes it to the database, alone or together with others, while the next row is worked on. */
  | { kind: "settled"; record?: () => Promise<Recorded> }
  /** The row is to be tried again later; the rows behind it are worked on. `isCounted`: the page or its server failed, so the attempt counts. */
  | { kind: "later"; delayMs: number; isCounted: boolean }
  /** The row's host wants a pause: the row and those behind it are given back. */
  | { kind: "pause"; delayMs: number }
  /** The service stops: the row and those behind it are given back. */
  | { kind: "interrupted" };

/** `gone`: the row could not be written because something it refers to no longer exists, so it is given back. */
export type Recorded = "recorded" | "gone";

export interface RowWork<Row extends Held> {
  db: Database;
  table: LeasedTable;
  ids: readonly string[];
  delivery: Delivery;
  /** Aborted when the service is told to stop: rows that are not begun are given back. */
  signal: AbortSignal;
  /** Has rows whose workers died worked on separately from the others. */
  apart: WorkApart;
  /** @param alone claims a single row whose workers died, and nothing else */
  claim(leaseMs: number, alone: boolean): Promise<Row[]>;
  /** Waits until there is room in memory for the result of the row. */
  ready?(row: Row): Promise<void>;
  work(row: Row, lease: Lease): Promise<RowOutcome>;
  /** Called once or more when all rows have been worked on; some may still be being recorded. */
  worked?(): void;
  /** Gives back rows whose attempt counts. */
  postpone?(rows: readonly Row[]): Promise<void>;
}

const againAfterMs = 200;

/**
 * Works on the rows that a message names: claims them, renews their lease, works on one after the other, has the settled ones recorded and
 * gives the others back. Rows that are no longer queued are left out, so a message that is delivered twice does its work once. If the
 * process is killed, the rows become available again when their lease has run out.
 * @returns whether the message is done, and if not, when it is to be delivered again
 */
export function runRows<Row extends Held>(rows: RowWork<Row>): Promise<Outcome> {
  const { db, table, ids, delivery, apart } = rows;
  const leaseMs = leaseMsOf(delivery.ackWaitMs);
  return apart<Row>({
    db,
    table,
    ids,
    claim: (alone) => rows.claim(leaseMs, alone),
    work: (claimed) => workOn(claimed, rows),
  });
}

/** The rows of a message that are not finished yet. */
interface Progress<Row> {
  /** Claimed rows that are neither settled nor taken by another worker: given back at the end. */
  left: Map<string, Row>;
  later: Row[];
  recording: Promise<void>[];
  /** How long until the message is delivered again for the rows in `left`, and for those in `later`. */
  pauseMs: number;
  laterMs: number;
}

async function workOn<Row extends Held>(claimed: readonly Row[], rows: RowWork<Row>): Promise<Outcome> {
  const { db, table, delivery } = rows;
  const leaseMs = leaseMsOf(delivery.ackWaitMs);
  const lease = keepLease(claimed, delivery.ackWaitMs, (held) => renewRows(db, table, held, leaseMs), delivery.working);
  const progress: Progress<Row> = {
    left: new Map(claimed.map((row) => [row.id, row])),
    later: [],
    recording: [],
    pauseMs: againAfterMs,
    laterMs: againAfterMs,
  };
  const { left, later, recording } = progress;
  try {
    for (const row of claimed) if ((await workOnOne(row, lease, progress, rows)) === "end") break;
    rows.worked?.();
    await Promise.all(recording);
    if (later.length > 0) await (rows.postpone?.(later) ?? releaseRows(db, table, later, false));
    if (left.size > 0) await releaseRows(db, table, [...left.values()], true);
  } catch (error) {
    rows.worked?.();
    await Promise.allSettled(recording);
    // database, store or bus failed: that does not count as an attempt of the rows. Rows that were recorded are no longer claimed.
    await releaseRows(db, table, claimed, true).catch(() => undefined);
    throw error;
  } finally {
    lease.end();
  }
  if (left.size > 0) return { done: false, retryInMs: progress.pauseMs };
  return later.length > 0 ? { done: false, retryInMs: progress.laterMs } : done;
}

/** @returns `end` if the rows behind this one must not be worked on */
async function workOnOne<Row extends Held>(
  row: Row,
  lease: Lease,
  progress: Progress<Row>,
  { ready, signal, work }: RowWork<Row>,
): Promise<"next" | "end"> {
  const { left, later, recording } = progress;
  await ready?.(row);
  if (signal.aborted) return "end";
  if (!lease.holds(row.id)) {
    left.delete(row.id);
    return "next";
  }
  const outcome = await work(row, lease);
  // if this process stood still, the row's deadline passed although nobody was there to read the answer
  if (lease.slept() || outcome.kind === "interrupted") return "end";
  if (outcome.kind === "pause" || (outcome.kind === "later" && !outcome.isCounted)) {
    progress.pauseMs = Math.max(progress.pauseMs, outcome.delayMs);
    return outcome.kind === "pause" ? "end" : "next";
  }
  left.delete(row.id);
  if (outcome.kind === "later") {
    progress.laterMs = Math.max(progress.laterMs, outcome.delayMs);
    later.push(row);
    return "next";
  }
  const recorded = (outcome.record?.() ?? Promise.resolve<Recorded>("recorded")).then((end) => {
    if (end === "gone") left.set(row.id, row);
    else lease.letGo([row.id]);
  });
  recorded.catch(() => undefined); // the rejection is handled by `workOn`, which awaits all of `recording`, unless something else ends it first
  recording.push(recorded);
  return "next";
}
