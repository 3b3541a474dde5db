import { type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { type LeasedTable, releaseRows, renewRows } from "@web-tester/records/leases/leased-rows";
import { type Held, keepLease, type Lease, leaseMsOf } from "./lease.js";
import type { WorkApart } from "./work-apart.js";

/** The end of the work on one row. */
export type RowOutcome =
  /**
   * The row is settled. `record` writes it to the database, alone or together with others, while the next row is worked
   * on.
   */
  | { kind: "settled"; record?: () => Promise<Recorded> }
  /**
   * To be tried again later; the rows behind it are worked on. `isCounted`: the page or its server failed, so the
   * attempt counts.
   */
  | { kind: "later"; delayMs: number; isCounted: boolean }
  /** Its host wants a pause: it and the rows behind it are given back. */
  | { kind: "pause"; delayMs: number }
  /** The service stops: it and the rows behind it are given back. */
  | { kind: "interrupted" };

/** `gone`: it could not be written because what it refers to is no longer there, so the row is given back. */
export type Recorded = "recorded" | "gone";

export interface RowWork<Row extends Held> {
  db: Database;
  table: LeasedTable;
  ids: readonly string[];
  delivery: Delivery;
  /** Aborted when the service is told to stop: rows not begun are given back. */
  signal: AbortSignal;
  /** Lets rows whose workers died be worked on apart from the others. */
  apart: WorkApart;
  /** @param alone claims one row whose workers died, and nothing else */
  claim(leaseMs: number, alone: boolean): Promise<Row[]>;
  /** Waits until there is room in memory for the row's result. */
  ready?(row: Row): Promise<void>;
  work(row: Row, lease: Lease): Promise<RowOutcome>;
  /** All rows have been worked on; some may still be being recorded. Called once or more. */
  worked?(): void;
  /** Gives counted rows back. */
  postpone?(rows: readonly Row[]): Promise<void>;
}

const againAfterMs = 200;

/**
 * Works on the rows that a message names: claims them, renews their lease, works on one after the other, has the
 * settled ones recorded and gives the others back. Rows past queued are left out, so a message that comes twice does
 * its work once. If the process is killed, the rows come back when their lease has run out.
 * @returns whether the message is done, and else when it is to come again
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
  /** Claimed rows that are neither settled nor left to others: given back at the end. */
  left: Map<string, Row>;
  later: Row[];
  recording: Promise<void>[];
  /** After how long the message comes back for the rows that are left or tried again. */
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
    // database, store or bus failed: that is no attempt of the rows. Rows that were recorded are not claimed any more.
    await releaseRows(db, table, claimed, true).catch(() => undefined);
    throw error;
  } finally {
    lease.end();
  }
  if (left.size > 0) return { done: false, retryInMs: progress.pauseMs };
  return later.length > 0 ? { done: false, retryInMs: progress.laterMs } : done;
}

/** @returns `end` where the rows behind this one are not to be worked on */
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
  // if this process stood still, the row's deadline passed without anybody reading the answer
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
  recorded.catch(() => undefined); // waited for by the message, unless something else ends it first
  recording.push(recorded);
  return "next";
}
