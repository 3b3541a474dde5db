import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import type { ChangedFact } from "@web-tester/contracts/entities/snapshot";
import { countChanged } from "../runs/run-counters.js";
import { showCompared } from "../instances/show-snapshots.js";
import { isOtherMode } from "./facts-of.js";
import { entriesOf, fingerprintsOf, keepHunkTexts, type RecordedHunk, withFingerprints } from "./change-hunks.js";

/** A recorded change whose older snapshot still exists, to be evaluated again. Hashes are hex. */
export interface EvaluatedChange {
  id: string;
  instanceId: string;
  objectId: string;
  name: string;
  url: string;
  runId: string | null;
  hash: string;
  charset: string | null;
  previousId: string;
  previousHash: string;
  previousCharset: string | null;
  significant: boolean;
  filesChanged: number;
  facts: ChangedFact[] | null;
  /** Whether one snapshot was loaded over HTTP and the other one in the browser. */
  isOtherMode: boolean;
}

const columns = `
  c.snapshot_id AS id, s.test_instance_id AS "instanceId", i.test_object_id AS "objectId", i.name, i.url, s.run_id AS "runId",
  encode(s.content_hash, 'hex') AS hash, s.charset, p.id AS "previousId", encode(p.content_hash, 'hex') AS "previousHash",
  p.charset AS "previousCharset", c.significant, c.files_changed AS "filesChanged", c.facts, ${isOtherMode("s", "p")} AS "isOtherMode"`;
const joins = `
  JOIN test_instance i ON i.id = s.test_instance_id
  JOIN change c ON c.snapshot_id = s.id AND c.state = 'done' AND c.kind = 'changed'
  JOIN test_snapshot p ON p.id = c.previous_id`;

const ofInstances = prepared(`
  SELECT ${columns} FROM test_snapshot s ${joins}
  WHERE s.test_instance_id = ANY($1) AND s.state = 'done' AND s.id > $2 ORDER BY s.id LIMIT $3`);

/** Returns the changes of some pages after a snapshot, in the order of their snapshots. @param after id of a snapshot */
export function changesOfInstances(
  db: Queryable,
  instanceIds: readonly string[],
  after: string,
  limit: number,
): Promise<EvaluatedChange[]> {
  return db.query<EvaluatedChange>(ofInstances, [instanceIds, after, limit]);
}

const ofSnapshots = prepared(`SELECT ${columns} FROM test_snapshot s ${joins} WHERE s.id = ANY($1) ORDER BY s.id`);

/** Returns the changes among these snapshots. */
export function changesOfSnapshots(db: Queryable, ids: readonly string[]): Promise<EvaluatedChange[]> {
  return db.query<EvaluatedChange>(ofSnapshots, [ids]);
}

/* Ids are UUIDv7: newer snapshots have greater ones. */
const ofObject = prepared(`
  SELECT ${columns} FROM test_snapshot s ${joins}
  WHERE c.test_object_id = $1 AND c.snapshot_id < $2 AND c.snapshot_id >= $3 AND c.significant ORDER BY c.snapshot_id DESC LIMIT $4`);

/** Returns significant changes of an object, newest first. @param before, from ids of snapshots: older than `before`, not older than `from` */
export function changesOfObject(
  db: Queryable,
  objectId: string,
  { before, from, limit }: { before: string; from: string; limit: number },
): Promise<EvaluatedChange[]> {
  return db.query<EvaluatedChange>(ofObject, [objectId, before, from, limit]);
}

export interface Evaluated {
  id: string;
  objectId: string;
  significant: boolean;
  changes: number;
  ignored: number;
  hunks: RecordedHunk[];
}

const record = prepared(`
  WITH result AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, significant boolean, changes int, ignored int, hunks jsonb, entries jsonb)
  ), before AS (
    SELECT c.snapshot_id, c.significant FROM change c JOIN result r ON r.id = c.snapshot_id WHERE c.state = 'done' AND c.kind = 'changed'
    ORDER BY c.snapshot_id FOR UPDATE OF c
  ), moved AS (
    UPDATE change c SET significant = r.significant, changes = r.changes, ignored = r.ignored, hunks = ${fingerprintsOf("r.hunks")}, entries = ${entriesOf("r.entries")}
    FROM result r JOIN before b ON b.snapshot_id = r.id WHERE c.snapshot_id = r.id
    RETURNING c.snapshot_id, c.kind, c.lines_added, c.lines_removed, c.significant, b.significant AS was
  ), placed AS (
    SELECT m.*, s.test_instance_id, s.run_id FROM moved m JOIN test_snapshot s ON s.id = m.snapshot_id
  ), ${keepHunkTexts("SELECT snapshot_id AS sample_id, run_id FROM placed", "$2")}, turned AS (
    SELECT * FROM placed WHERE significant <> was
  ), instances AS (
    ${showCompared("turned")}
  ), counts AS (
    SELECT run_id, sum(CASE WHEN significant THEN 1 ELSE -1 END)::int AS n FROM turned WHERE run_id IS NOT NULL GROUP BY run_id
  ), ${countChanged("counts")}
  SELECT count(*) FROM counted`);

/** Records what the current rules make of changes: their counts, their hunks, and what runs and pages show of them. Publishes no events. */
export async function recordEvaluated(tx: Queryable, results: readonly Evaluated[]): Promise<void> {
  if (results.length > 0) await tx.query(record, withFingerprints(results));
}
