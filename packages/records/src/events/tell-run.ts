import type { EventKind } from "@web-tester/contracts/entities/digest";
import type { WatchEvent } from "@web-tester/contracts/entities/telling";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { settleLifecycle } from "../lifecycle/settle-lifecycle.js";
import { wantsLook } from "../lifecycle/want-look.js";
import { wantNoise } from "../objects/noise-due.js";
import { isLooking } from "../runs/look-run.js";
import { type RhythmNote, settleRhythm } from "../rhythm/change-rhythm.js";
import { markTold } from "../runs/mark-told.js";
import { type Findings, findingsOf, type FoundPages } from "./run-findings.js";

/** A run that ended and of which nobody was told yet. */
export interface UntoldRun {
  id: string;
  kind: string;
  objectId: string;
  objectName: string;
  objectUrl: string;
  finishedAt: Date;
  total: number;
  failed: number;
  /** How often pages of it were looked at again. */
  stage: number;
}

/** What a run found on all pages, and what of it is not usual. */
export interface FoundOfRun {
  all: Findings;
  notes: RhythmNote[];
}

/** Of all pages, each failure from the first on. */
export const unfiltered = { path: "", text: "", failures: 1 } as const;

/* A fetch is told when each of its changes is known, and what is to be looked at again was. What was cancelled is told nobody. */
const take = `
  SELECT r.id, r.kind, r.state, r.test_object_id AS "objectId", o.name AS "objectName", o.url AS "objectUrl",
    coalesce(r.finished_at, now()) AS "finishedAt", r.total, r.failed, r.look_stage AS stage
  FROM run r JOIN test_object o ON o.id = r.test_object_id
  WHERE NOT r.told AND r.state <> 'running' AND NOT ${isLooking("r")} AND NOT EXISTS (
    SELECT 1 FROM test_snapshot s JOIN change c ON c.snapshot_id = s.id AND c.state = 'queued' WHERE s.run_id = r.id AND r.kind = 'snapshot-all')
  ORDER BY r.id LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`;

/** Kinds of run that look at a site as a whole; a single page that somebody fetches by hand is seen by who did it. */
const toldKinds: readonly string[] = ["crawl", "sitemaps", "snapshot-all"];

/**
 * Takes one run that ended and makes events of what it found. The events, what `deliver` writes and that the run is told are one
 * transaction: whatever is killed, each run is told once.
 * @param deliver writes the messages about it
 * @returns false where no run waits
 */
export async function tellRun(
  db: Database,
  deliver: (tx: Queryable, run: UntoldRun, found: FoundOfRun) => Promise<void>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [run] = await tx.query<UntoldRun & { state: string }>(take, []);
    if (run === undefined) return false;
    const isTold = run.state === "finished" && toldKinds.includes(run.kind);
    if (isTold && (await wantsLook(tx, run))) return true;
    await markTold(tx, run.id);
    if (!isTold) return true;
    if (run.kind === "snapshot-all") await wantNoise(tx, run.objectId, run.id);
    await settleLifecycle(tx, run);
    const notes = run.kind === "snapshot-all" ? await settleRhythm(tx, run) : [];
    const found = { all: await findingsOf(tx, run.id, unfiltered), notes };
    await deliver(tx, run, found);
    await insertEvents(tx, run, found);
    return true;
  });
}

/* Whoever holds this lock writes the next ids; it is held to the end of the transaction, so that ids become visible in their order. */
const orderLock = `SELECT pg_advisory_xact_lock(hashtextextended('web-tester:events', 0))`;
const insert = `
  INSERT INTO watch_event (id, test_object_id, run_id, kind, pages_total, pages, said)
  SELECT (SELECT coalesce(max(id), 0) FROM watch_event) + e.place, $1, $2, e.kind, e.pages_total, e.pages, e.said
  FROM jsonb_to_recordset($3::jsonb) AS e (place int, kind text, pages_total int, pages jsonb, said text)`;

/* Each page that came, went or moved is an event of its own; what is back is told with what failed. */
const insertLives = `
  INSERT INTO watch_event (id, test_object_id, run_id, kind, pages_total, pages)
  SELECT (SELECT coalesce(max(id), 0) FROM watch_event) + row_number() OVER (ORDER BY l.kind, l.url), $1, $2, l.kind, 1,
    jsonb_build_array(jsonb_build_object('instance_id', l.test_instance_id, 'url', l.url,
      'said', CASE WHEN l.to_url IS NULL THEN l.said ELSE 'to ' || l.to_url || ', ' || l.said END))
  FROM page_lifecycle l WHERE l.run_id = $2 AND l.kind IN ('new', 'gone', 'moved', 'unlinked')`;

async function insertEvents(tx: Queryable, run: UntoldRun, { all: found, notes }: FoundOfRun): Promise<void> {
  const kinds: [EventKind, FoundPages][] = [
    ["changed", found.changed],
    ["failing", found.failing],
    ["recovered", found.recovered],
  ];
  const events = kinds.filter(([, { total }]) => total > 0).map(([kind, pages]) => eventOf(kind, pages));
  const strange = notes.map(({ kind, pages, said }) => ({ kind, pages_total: pages, pages: [], said }));
  const ended = { kind: "run-ended", pages_total: run.total, pages: [], said: "" };
  const rows = [...events, ...strange, ended].map((event, index) => ({ ...event, place: index + 1 }));
  await tx.query(orderLock);
  await tx.query(insertLives, [run.objectId, run.id]);
  await tx.query(insert, [run.objectId, run.id, JSON.stringify(rows)]);
}

const eventOf = (kind: EventKind, { total, pages }: FoundPages) => ({
  kind,
  pages_total: total,
  pages: pages.map(({ instanceId, url, said }) => ({ instance_id: instanceId, url, said })),
  said: "",
});

const select = `
  SELECT id::text, test_object_id AS testobject_id, run_id, kind, said, pages_total, pages, created_at
  FROM watch_event WHERE id > $1 AND ($2::uuid IS NULL OR test_object_id = $2) ORDER BY watch_event.id LIMIT $3`;

/** Events behind one, in their order. */
export async function selectEvents(
  db: Queryable,
  after: string,
  objectId: string | null,
  limit: number,
): Promise<WatchEvent[]> {
  const rows = await db.query<Omit<WatchEvent, "created_at"> & { created_at: Date }>(select, [after, objectId, limit]);
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
}

/* From the oldest on; the newest stays, for the next id is counted from it. */
const forget = `
  DELETE FROM watch_event WHERE created_at < $1 AND id IN (SELECT id FROM watch_event ORDER BY id LIMIT 1000)
    AND id < (SELECT max(id) FROM watch_event)`;

/** Forgets events of long ago, a thousand at a time. */
export async function forgetEvents(db: Queryable, before: Date): Promise<void> {
  await db.query(forget, [before]);
}
