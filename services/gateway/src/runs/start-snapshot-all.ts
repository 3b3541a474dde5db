import { setTimeout } from "node:timers/promises";
import { jobWords } from "@web-tester/contracts/job-lines";
import type { FetchSelection } from "@web-tester/contracts/entities/removal";
import type { OutgoingWork } from "@web-tester/platform/bus/bus";
import type { Queryable } from "@web-tester/platform/database/database";
import { chunkByHost, pagesPerFetch } from "@web-tester/records/runs/chunk-rows";
import { announce } from "../http/announce.js";
import { notFound } from "../http/not-found.js";
import { selectedIds } from "@web-tester/records/instances/selected-ids";
import { leftOfFetch } from "@web-tester/records/snapshots/left-of-fetch";
import { hasPages, queueAll, queueNamedInstances, snapshotsOfRun } from "@web-tester/records/snapshots/queue-all";
import { insertRun, type Starter } from "@web-tester/records/runs/start-run";
import { isBeingSettled } from "@web-tester/records/runs/untold-runs";
import { lockForStart, type StartParts } from "./start-run.js";

const pieceSize = 5_000;
/** The longest time that a fetch waits for a crawl that ended just now, and how often it looks. */
const settlingMaxMs = 5_000;
const settlingPollMs = 50;

/** A fetch whose rows exist, before it is announced. */
export interface BegunFetch {
  objectId: string;
  runId: string;
  created: number;
}

/**
 * Creates a run with a snapshot of every instance of an object, or of those whose path matches.
 * @param how.path wildcard over path and query; null for all
 * @returns null where there is no such page; otherwise `announceFetch` is to be called after the commit
 * @throws AppError not_found, conflict
 */
export async function beginFetch(
  tx: Queryable,
  objectId: string,
  how: { by: Starter; path: string | null },
): Promise<BegunFetch | null> {
  const object = await lockForStart(tx, objectId, "snapshot-all");
  if (!(await hasPages(tx, objectId, how.path))) return null;
  const runId = await insertRun(tx, objectId, "snapshot-all", 0, how);
  return { objectId, runId, created: await queueAll(tx, objectId, runId, new URL(object.url).host, how.path) };
}

/** Announces a new fetch, and queues its rows for fetchers. */
export async function announceFetch(parts: StartParts, { objectId, runId, created }: BegunFetch): Promise<void> {
  parts.bus.publishEvent({ type: "snapshotAll:queued", testobjectId: objectId, runId, created });
  parts.bus.logLine(runId, "info", jobWords("snapshots-queued", { n: created }));
  await publishRows(parts, runId);
}

/** Publishes the messages by which fetchers take a run's rows. */
export async function publishRows({ db, bus, log, hostConcurrency }: StartParts, runId: string): Promise<void> {
  for await (const piece of snapshotsOfRun(db, runId, pieceSize)) {
    const messages = chunkByHost(piece, hostConcurrency, pagesPerFetch(piece.length)).flatMap(({ rows, ...at }) =>
      fetchMessage("bulk", at, rows),
    );
    // where the bus is down, the caller must not wait for it once per piece
    if (!(await announce(bus, log, messages))) break;
  }
}

/**
 * Waits, not for long, until it is decided what became of the pages of a crawl that ended just now: a page that moved would otherwise be
 * fetched at both of its addresses, and its history follow it only after the fetch.
 */
async function untilSettled({ db }: StartParts, objectId: string): Promise<void> {
  const until = performance.now() + settlingMaxMs;
  while (performance.now() < until && (await isBeingSettled(db, objectId))) await setTimeout(settlingPollMs);
}

/**
 * Starts a fetch of every instance of an object.
 * @throws AppError not_found, conflict
 */
export async function startSnapshotAll(
  parts: StartParts,
  objectId: string,
  by: Starter,
): Promise<{ created: number; runId: string | null }> {
  await untilSettled(parts, objectId);
  const begun = await parts.db.transaction((tx) => beginFetch(tx, objectId, { by, path: null }));
  if (begun === null) return { created: 0, runId: null };
  await announceFetch(parts, begun);
  return { created: begun.created, runId: begun.runId };
}

/**
 * Starts a fetch of some instances of an object, or of those that a stopped fetch did not get to, as a run of its own.
 * @throws AppError not_found, conflict
 */
export async function startSnapshotsOf(
  parts: StartParts,
  objectId: string,
  { stopped_in: stopped, ...selection }: FetchSelection,
  by: Starter,
): Promise<{ created: number; runId: string | null }> {
  const begun = await parts.db.transaction(async (tx) => {
    const object = await lockForStart(tx, objectId, "snapshot-all");
    const ids =
      stopped === undefined ? await selectedIds(tx, objectId, selection) : await leftOfFetch(tx, objectId, stopped);
    if (ids === null) throw notFound("stopped fetch", stopped);
    if (ids.length === 0) return null;
    const runId = await insertRun(tx, objectId, "snapshot-all", 0, { by, path: null });
    return { objectId, runId, created: await queueNamedInstances(tx, objectId, runId, new URL(object.url).host, ids) };
  });
  if (begun === null) return { created: 0, runId: null };
  await announceFetch(parts, begun);
  return { created: begun.created, runId: begun.runId };
}

/**
 * The message that hands snapshots to fetchers; none where there are no rows.
 * @param rows snapshots of one host that were never published before
 */
export function fetchMessage(
  lane: "now" | "bulk",
  { host, partition }: { host: string; partition: number },
  rows: readonly { id: string }[],
): OutgoingWork[] {
  const first = rows[0];
  if (first === undefined) return [];
  const body = { snapshotIds: rows.map((row) => row.id), host };
  return [{ name: "fetch", lane, partition, body, dedupeId: `${first.id}:0` }];
}
