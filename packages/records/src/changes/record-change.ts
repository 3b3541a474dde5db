import type { ChangedFact, ChangedFile } from "@web-tester/contracts/entities/snapshot";
import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import { showCompared } from "../instances/show-snapshots.js";
import { stateIs } from "../leases/state-is.js";
import { isUntoldLook } from "../runs/look-run.js";
import { countChanged } from "../runs/run-counters.js";
import type { RunProgress } from "../runs/run-progress.js";
import type { SnapshotFacts } from "./changed-facts.js";
import { keepChangedFiles, withFileDigests } from "./files-of-change.js";
import { entriesOf, fingerprintsOf, keepHunkTexts, type RecordedHunk, withFingerprints } from "./change-hunks.js";
import { factsOf, isOtherMode } from "./facts-of.js";
import { enterContents } from "../search/search-entries.js";

/** A finished snapshot that waits to be compared with the finished one before it. Hashes are hex. */
export interface PendingChange {
  id: string;
  generation: number;
  instanceId: string;
  objectId: string;
  /** Address of the page. */
  url: string;
  runId: string | null;
  hash: string;
  charset: string | null;
  previousId: string | null;
  previousHash: string | null;
  previousCharset: string | null;
  /** Whether the files of the two snapshots may differ. */
  filesDiffer: boolean;
  /** Whether one of them was loaded over HTTP and the other one in the browser. */
  isOtherMode: boolean;
  facts: SnapshotFacts;
  previousFacts: SnapshotFacts;
}

const load = prepared(`
  SELECT c.snapshot_id AS id, c.generation, s.test_instance_id AS "instanceId", i.test_object_id AS "objectId", i.url, s.run_id AS "runId",
         encode(s.content_hash, 'hex') AS hash, s.charset,
         p.id AS "previousId", encode(p.content_hash, 'hex') AS "previousHash", p.charset AS "previousCharset",
         s.files_hash IS DISTINCT FROM p.files_hash AS "filesDiffer", ${isOtherMode("s", "p")} AS "isOtherMode", ${factsOf("s")} AS facts, ${factsOf("p")} AS "previousFacts"
  FROM change c
  JOIN test_snapshot s ON s.id = c.snapshot_id
  JOIN test_instance i ON i.id = s.test_instance_id
  LEFT JOIN LATERAL (
    SELECT id, content_hash, charset, files_hash, http_status, final_url, redirects, headers, fetch_mode_used FROM test_snapshot q
    WHERE q.test_instance_id = s.test_instance_id AND q.id < s.id AND q.state = 'done' AND NOT ${isUntoldLook("q", "i")}
    ORDER BY q.id DESC LIMIT 1
  ) p ON true
  WHERE c.snapshot_id = ANY($1) AND NOT ${stateIs("c.state", "done")}`);

/** Returns the changes of these snapshots that are not recorded yet. */
export function loadPendingChanges(db: Queryable, snapshotIds: readonly string[]): Promise<PendingChange[]> {
  return db.query<PendingChange>(load, [snapshotIds]);
}

/**
 * Counts an attempt at one comparison before it begins, so that one that crashes its process counts too.
 * @returns the attempts so far, this one included; null when the comparison is done or gone
 */
export async function beginAttempt(db: Queryable, snapshotId: string): Promise<number | null> {
  const [row] = await db.query<{ attempts: number }>(
    `UPDATE change SET attempts = attempts + 1 WHERE snapshot_id = $1 AND state <> 'done' RETURNING attempts`,
    [snapshotId],
  );
  return row?.attempts ?? null;
}

/** Takes a counted attempt back, because the infrastructure failed, not the comparison. */
export async function takeAttemptBack(db: Queryable, snapshotId: string): Promise<void> {
  await db.query(`UPDATE change SET attempts = attempts - 1 WHERE snapshot_id = $1 AND attempts > 0`, [snapshotId]);
}

export interface RecordedChange {
  id: string;
  objectId: string;
  generation: number;
  previousId: string | null;
  kind: "first" | "unchanged" | "changed";
  added: number;
  removed: number;
  coarse: boolean;
  /** Whether there is a change left after the rules. */
  significant: boolean;
  /** The numbers of changed places: here those that count, in `ignored` those that do not. */
  changes: number;
  ignored: number;
  /** The changed places that matter, to recognise equal changes of many pages; hashes are hex. */
  hunks: RecordedHunk[];
  filesChanged: number;
  /** The first of the changed files; null when there are none. */
  files: ChangedFile[] | null;
  facts: ChangedFact[] | null;
}

/*
 * When a snapshot finishes later than a newer one of its page, the newer one was compared with the wrong snapshot: its comparison is queued
 * again ("stale") and subtracted from the counters, unless it was still waiting and so not counted yet.
 */
const record = prepared(`
  WITH result AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, generation int, "previousId" uuid, kind text, added int, removed int, coarse boolean,
      "filesChanged" int, "filesDigest" text, facts jsonb, significant boolean, changes int, ignored int, hunks jsonb, entries jsonb)
  ), moved AS (
    UPDATE change c
    SET state = 'done', previous_id = r."previousId", kind = r.kind, lines_added = r.added, lines_removed = r.removed, coarse = r.coarse,
        files_changed = r."filesChanged", files = NULL, files_digest = decode(r."filesDigest", 'hex'), facts = nullif(r.facts, 'null'),
        significant = r.significant, changes = r.changes, ignored = r.ignored, hunks = ${fingerprintsOf("r.hunks")}, entries = ${entriesOf("r.entries")}
    FROM result r WHERE c.snapshot_id = r.id AND c.generation = r.generation AND NOT ${stateIs("c.state", "done")}
    RETURNING c.snapshot_id, c.kind, c.lines_added, c.lines_removed, c.significant, c.facts
  ), placed AS (
    SELECT m.*, s.test_instance_id, s.run_id, s.content_hash, s.charset FROM moved m JOIN test_snapshot s ON s.id = m.snapshot_id
  ), ${keepHunkTexts("SELECT snapshot_id AS sample_id, run_id FROM placed", "$2")}, ${keepChangedFiles("$3")}, searchable AS (
    ${enterContents("placed")}
  ), instances AS (
    ${showCompared("placed", "p.facts")}
  ), stale AS (
    UPDATE change c SET state = 'queued', generation = c.generation + 1, queued_at = now()
    FROM placed p
    CROSS JOIN LATERAL (
      SELECT n.id, n.run_id FROM test_snapshot n
      WHERE n.test_instance_id = p.test_instance_id AND n.id > p.snapshot_id AND n.state = 'done' ORDER BY n.id LIMIT 1
    ) n
    WHERE c.snapshot_id = n.id AND c.previous_id IS DISTINCT FROM p.snapshot_id AND n.id NOT IN (SELECT snapshot_id FROM moved)
    RETURNING c.snapshot_id, c.generation, old.state = 'done' AND old.kind = 'changed' AND old.significant AS was_counted, n.run_id
  ), counts AS (
    SELECT run_id, sum(n)::int AS n FROM (
      SELECT run_id, 1 AS n FROM placed WHERE kind = 'changed' AND significant
      UNION ALL SELECT run_id, -1 FROM stale WHERE was_counted
    ) changed WHERE run_id IS NOT NULL GROUP BY run_id
  ), ${countChanged("counts")}
  SELECT (SELECT coalesce(json_agg(snapshot_id), '[]') FROM moved) AS moved,
         (SELECT coalesce(json_agg(json_build_object('id', snapshot_id, 'generation', generation)), '[]') FROM stale) AS stale,
         (SELECT coalesce(json_agg(counted), '[]') FROM counted) AS runs`);

/**
 * Records results of comparisons.
 * @returns the snapshots whose change was recorded by this call, newer ones that must be compared again, and the current counters of the
 * runs
 */
export async function recordChanges(
  db: Queryable,
  results: readonly RecordedChange[],
): Promise<{ moved: string[]; stale: { id: string; generation: number }[]; runs: RunProgress[] }> {
  const [rows, lists] = withFileDigests(results);
  const [row] = await db.query<{ moved: string[]; stale: { id: string; generation: number }[]; runs: RunProgress[] }>(
    record,
    [...withFingerprints(rows), lists],
  );
  return row ?? { moved: [], stale: [], runs: [] };
}
