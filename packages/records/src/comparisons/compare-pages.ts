import type { ChangedFact, ChangedFile } from "@web-tester/contracts/entities/snapshot";
import type { Queryable } from "@web-tester/platform/database/database";
import type { SnapshotFacts } from "../changes/changed-facts.js";
import { factsOf, isOtherMode } from "../changes/facts-of.js";
import { keepHunkTexts, type RecordedHunk, withFingerprints } from "../changes/change-hunks.js";
import { countCompared } from "../runs/comparison-run.js";
import type { RunProgress } from "../runs/run-progress.js";

/** A page of a comparison that has to be compared. Hashes are hex; null when retention has removed the snapshot meanwhile. */
export interface PendingPage {
  id: string;
  url: string;
  oneId: string;
  otherId: string;
  oneHash: string | null;
  otherHash: string | null;
  oneCharset: string | null;
  otherCharset: string | null;
  filesDiffer: boolean;
  /** Whether one of them was loaded over HTTP and the other one in the browser. */
  isOtherMode: boolean;
  oneFacts: SnapshotFacts;
  otherFacts: SnapshotFacts;
  /** Attempts so far, this one included. */
  attempts: number;
}

/* A page that was attempted often is attempted alone, as it may be what crashed the others. An attempt is counted before it begins. */
const take = `
  WITH next AS (
    SELECT id, attempts FROM compared_page WHERE run_id = $1 AND state = 'queued' ORDER BY id LIMIT $2
  ), taken AS (
    UPDATE compared_page p SET attempts = p.attempts + 1 FROM next n
    WHERE p.id = n.id AND (n.attempts < $3 OR n.id = (SELECT id FROM next ORDER BY attempts, id LIMIT 1)) RETURNING p.*
  )
  SELECT t.id, i.url, t.one_id AS "oneId", t.other_id AS "otherId", encode(l.content_hash, 'hex') AS "oneHash", encode(r.content_hash, 'hex') AS "otherHash",
    l.charset AS "oneCharset", r.charset AS "otherCharset", l.files_hash IS DISTINCT FROM r.files_hash AS "filesDiffer", ${isOtherMode("l", "r")} AS "isOtherMode", ${factsOf("l")} AS "oneFacts",
    ${factsOf("r")} AS "otherFacts", t.attempts
  FROM taken t JOIN test_instance i ON i.id = t.test_instance_id
  LEFT JOIN test_snapshot l ON l.id = t.one_id LEFT JOIN test_snapshot r ON r.id = t.other_id ORDER BY t.id`;

/** Attempts that a page gets together with others. */
const triesTogether = 3;

/** Takes the next pages of a comparison; none when all are done. */
export function takePages(db: Queryable, runId: string, limit: number): Promise<PendingPage[]> {
  return db.query<PendingPage>(take, [runId, limit, triesTogether]);
}

/** The result of comparing a page. */
export interface ComparedPage {
  id: string;
  /** Whether anything differs at all. */
  differs: boolean;
  significant: boolean;
  added: number;
  removed: number;
  changes: number;
  ignored: number;
  hunks: RecordedHunk[];
  filesChanged: number;
  files: ChangedFile[] | null;
  facts: ChangedFact[] | null;
}

const record = `
  WITH result AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb) AS r (id uuid, differs boolean, significant boolean, added int, removed int, changes int, ignored int,
      hunks jsonb, "leftOut" jsonb, "filesChanged" int, files jsonb, facts jsonb)
  ), moved AS (
    UPDATE compared_page p SET state = 'done', kind = CASE WHEN NOT r.differs THEN 'unchanged' WHEN r.significant THEN 'changed' ELSE 'ignored' END,
      lines_added = r.added, lines_removed = r.removed, changes = r.changes, ignored = r.ignored, files_changed = r."filesChanged",
      files = nullif(r.files, 'null'), facts = nullif(r.facts, 'null')
    FROM result r WHERE p.id = r.id AND p.run_id = $1 AND p.state = 'queued'
    RETURNING p.id, p.run_id, p.kind, r.hunks, r."leftOut"
  ), hunks AS (
    SELECT m.id, m.run_id, decode(h.fingerprint, 'hex') AS fingerprint, decode(m."leftOut" ->> h.fingerprint, 'hex') AS left_out
    FROM moved m CROSS JOIN LATERAL jsonb_array_elements_text(m.hunks) AS h (fingerprint) WHERE m.kind = 'changed'
  ), kept AS (
    INSERT INTO compared_hunk (page_id, fingerprint, run_id, left_out) SELECT id, fingerprint, run_id, left_out FROM hunks ON CONFLICT DO NOTHING
  ), ${keepHunkTexts("SELECT id AS sample_id, run_id FROM moved", "$3")}
  ${countCompared("$1", "moved")}`;

/** Records results in a run of an object; idempotent. @returns null when the run was stopped */
export async function recordPages(
  tx: Queryable,
  { id, objectId }: { id: string; objectId: string },
  results: readonly ComparedPage[],
): Promise<RunProgress | null> {
  const found = withFingerprints(results.map((result) => ({ ...result, objectId, leftOut: leftOutOf(result) })));
  const [row] = await tx.query<RunProgress>(record, [id, ...found]);
  return row ?? null;
}

/** Returns the hashes of left-out text by fingerprint; if a page differs in several places with one fingerprint, their hashes are joined. */
function leftOutOf({ hunks }: ComparedPage): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { fingerprint, leftOut } of hunks)
    if (leftOut !== null) found[fingerprint] = (found[fingerprint] ?? "") + leftOut;
  return found;
}
