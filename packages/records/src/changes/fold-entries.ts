import type { Queryable } from "@web-tester/platform/database/database";
import { settleRun } from "../runs/settle-run.js";
import { ofAnySize } from "../runs/of-any-size.js";

/** SQL: the fingerprint of all entries that moved to another page of their list. */
const repaged = `decode(md5('repaged'), 'hex')`;

/** Expressions for the parts of an address that say which page of a list it is, and what is put in their place. */
const pageNumbers: readonly (readonly [expression: string, instead: string])[] = [
  ["#.*$", ""],
  ["[?]", "&"],
  ["&(page|paged|pg|seite|start|offset|skip|after|before|cursor)=[^&]*", ""],
  ["/(page|pages|seite|pagina)[-/]?[0-9]+(?=[/.&]|$)", ""],
  [String.raw`/(index|page|list|archive|news)[-_]?[0-9]*\.[a-z]+(?=&|$)`, ""],
  ["[&/]+(?=&|$)", ""],
];

/** SQL: the address of a list without the number of its page: equal for all pages of a list. @param url SQL of an address */
const listOf = (url: string) =>
  pageNumbers.reduce(
    (sql, [expression, instead]) => `regexp_replace(${sql}, '${expression}', '${instead}', 'gi')`,
    url,
  );

/*
 * A list of news that is shown in pages hands its last entry on to the next page with each new one. The same text has two fingerprints where it
 * leads to the page that it is on. The changes are locked in the order in which an evaluation locks them.
 */
const fold = `
  WITH entry AS MATERIALIZED (
    SELECT c.snapshot_id, s.test_instance_id, h.fingerprint, h.entry
    FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id CROSS JOIN LATERAL unnest(c.hunks, c.entries) AS h (fingerprint, entry)
    WHERE c.run_id = ${ofAnySize("$1")} AND c.state = 'done' AND c.kind = 'changed' AND c.significant AND cardinality(c.entries) = cardinality(c.hunks) AND h.entry <> 0
  ), twin AS MATERIALIZED (
    SELECT abs(entry) AS entry FROM entry GROUP BY 1 HAVING min(entry) < 0 AND max(entry) > 0
  ), listed AS MATERIALIZED (
    SELECT e.*, i.test_object_id, ${listOf("i.url")} AS list
    FROM entry e JOIN twin t ON t.entry = abs(e.entry) JOIN test_instance i ON i.id = e.test_instance_id
  ), moved AS MATERIALIZED (
    SELECT l.* FROM listed l JOIN (
      SELECT list, abs(entry) AS entry FROM listed GROUP BY 1, 2 HAVING min(entry) < 0 AND max(entry) > 0
    ) m ON m.list = l.list AND m.entry = abs(l.entry)
  ), common AS MATERIALIZED (
    SELECT DISTINCT ON (entry) entry, fingerprint FROM (
      SELECT entry, fingerprint, count(*) AS pages, count(*) OVER (PARTITION BY entry) AS kinds FROM entry GROUP BY 1, 2
    ) k WHERE kinds > 1 ORDER BY entry, pages DESC, fingerprint
  ), replaced AS MATERIALIZED (
    SELECT snapshot_id, fingerprint, ${repaged} AS instead FROM moved
    UNION ALL
    SELECT e.snapshot_id, e.fingerprint, c.fingerprint FROM entry e JOIN common c ON c.entry = e.entry AND c.fingerprint <> e.fingerprint
    WHERE NOT EXISTS (SELECT 1 FROM moved m WHERE m.snapshot_id = e.snapshot_id AND m.fingerprint = e.fingerprint)
  ), of_page AS MATERIALIZED (
    SELECT snapshot_id, array_agg(fingerprint) AS went, array_agg(DISTINCT instead) AS came FROM replaced GROUP BY 1
  ), locked AS (
    SELECT c.snapshot_id FROM change c JOIN of_page p ON p.snapshot_id = c.snapshot_id ORDER BY 1 FOR UPDATE OF c
  ), folded AS (
    UPDATE change c SET entries = NULL, hunks = ARRAY(
      SELECT h FROM unnest(c.hunks) AS h WHERE h <> ALL (p.went) UNION SELECT unnest(p.came) ORDER BY 1)
    FROM locked l JOIN of_page p ON p.snapshot_id = l.snapshot_id WHERE c.snapshot_id = l.snapshot_id RETURNING c.snapshot_id
  ), sample AS (
    SELECT m.test_object_id, m.snapshot_id, coalesce(x.added, t.added) AS added
    FROM moved m JOIN hunk_text t ON t.test_object_id = m.test_object_id AND t.fingerprint = m.fingerprint
    LEFT JOIN hunk_sample x ON x.run_id = $1 AND x.fingerprint = m.fingerprint
    WHERE m.entry > 0 ORDER BY m.snapshot_id, m.fingerprint LIMIT 1
  ), named AS (
    INSERT INTO hunk_text AS t (test_object_id, fingerprint, place, removed, added, kind)
    SELECT test_object_id, ${repaged}, ${repaged}, '', added, 'repaged' FROM sample
    ON CONFLICT (test_object_id, fingerprint) DO UPDATE SET named_at = now() WHERE t.named_at <= now() - interval '1 day'
  ), shown AS (
    INSERT INTO hunk_sample (run_id, fingerprint, sample_id, removed, added) SELECT $1, ${repaged}, snapshot_id, '', added FROM sample
    ON CONFLICT (run_id, fingerprint) DO UPDATE SET sample_id = excluded.sample_id, added = excluded.added
  )
  SELECT count(*)::int AS n FROM folded`;

/**
 * Makes one kind of change of all entries that left one page of a list and came to another page of it, with the same text: nothing is new
 * and nothing is gone. What came to one page only, or left the list, stays a kind of its own, but is one kind wherever its text is the same. Idempotent.
 * @returns the number of pages
 */
export async function foldEntries(tx: Queryable, runId: string): Promise<number> {
  const [row] = await tx.query<{ n: number }>(fold, [runId]);
  const pages = row?.n ?? 0;
  if (pages > 0) await settleRun(tx, runId);
  return pages;
}

/** The runs of an object whose kinds of change people still look at. */
const runsMax = 20;

/** Folds the entries of an object's newest fetches again, after its changes were evaluated again. */
export async function foldEntriesOf(db: Queryable, objectId: string): Promise<void> {
  const runs = await db.query<{ id: string }>(
    `SELECT id FROM run WHERE test_object_id = $1 AND kind = 'snapshot-all' AND told ORDER BY id DESC LIMIT ${runsMax}`,
    [objectId],
  );
  for (const { id } of runs) await foldEntries(db, id);
}
