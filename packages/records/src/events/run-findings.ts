import type { Queryable } from "@web-tester/platform/database/database";

/** What of a run's pages is asked for. */
export interface FindingsFilter {
  /** Wildcard over path and query; empty for all pages. */
  path: string;
  /** Only changes that add or remove this text; empty for all. */
  text: string;
  /** A failure counts from so many in a row on. */
  failures: number;
}

/** A page of a finding. */
export interface FoundPage {
  instanceId: string;
  url: string;
  /** Newest snapshot, and the one it was compared with. */
  snapshotId: string | null;
  comparedWith: string | null;
  /** HTTP status or error of a page that fails; since when, and how often in a row. */
  status: number | null;
  error: string | null;
  since: Date | null;
  times: number;
}

/** Equal changes of pages. */
export interface FoundGroup {
  pages: number;
  removed: string;
  added: string;
  sample: FoundPage;
}

export interface FoundPages {
  total: number;
  pages: FoundPage[];
}

/** What a run found that people are told of. */
export interface Findings {
  changed: FoundPages;
  groupsTotal: number;
  groups: FoundGroup[];
  fresh: FoundPages;
  gone: FoundPages;
  failing: FoundPages;
  recovered: FoundPages;
}

const groupsMax = 10;
const pagesMax = 20;
const none = (): FoundPages => ({ total: 0, pages: [] });

/* $1 run, $2 LIKE pattern of path and query or null, $3 text in lower case or null */
const pathMatches = `($2::text IS NULL OR substring(i.url from '^[^/]+//[^/]*(/.*)$') LIKE $2)`;
const hasText = (hunk: string) =>
  `position($3 IN lower(${hunk}.removed)) > 0 OR position($3 IN lower(${hunk}.added)) > 0`;

const changedOnes = `
  changed AS (
    SELECT s.id, i.id AS instance_id, i.url, i.test_object_id, c.previous_id
    FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
    JOIN change c ON c.snapshot_id = s.id AND c.state = 'done' AND c.kind = 'changed' AND c.significant
    WHERE s.run_id = $1 AND ${pathMatches} AND ($3::text IS NULL OR EXISTS (
      SELECT 1 FROM change_hunk h JOIN hunk_text t ON t.test_object_id = i.test_object_id AND t.fingerprint = h.fingerprint
      WHERE h.snapshot_id = s.id AND (${hasText("t")})))
  )`;

const changed = `
  WITH ${changedOnes}
  SELECT (count(*) OVER ())::int AS total, id AS "snapshotId", previous_id AS "comparedWith", instance_id AS "instanceId", url,
    NULL AS status, NULL AS error, NULL AS since, 0 AS times
  FROM changed ORDER BY url LIMIT ${pagesMax}`;

const groups = `
  WITH ${changedOnes}, counted AS (
    SELECT h.fingerprint, count(*)::int AS pages, (min(h.snapshot_id::text))::uuid AS sample
    FROM changed c JOIN change_hunk h ON h.snapshot_id = c.id GROUP BY 1
  )
  SELECT (count(*) OVER ())::int AS total, g.pages, t.removed, t.added, c.id AS "snapshotId", c.previous_id AS "comparedWith",
    c.instance_id AS "instanceId", c.url
  FROM counted g JOIN changed c ON c.id = g.sample
  JOIN hunk_text t ON t.test_object_id = c.test_object_id AND t.fingerprint = g.fingerprint
  WHERE $3::text IS NULL OR ${hasText("t")}
  ORDER BY g.pages DESC, g.fingerprint LIMIT ${groupsMax}`;

/*
 * What became of each page, told by what it was before: how often in a row it fails now, or failed until now. A page that answers 404 or
 * 410 is gone, told once.
 */
const turns = `
  WITH now AS (
    SELECT s.id, s.state, s.http_status, s.error, i.id AS instance_id, i.url, (
      SELECT p.id FROM test_snapshot p WHERE p.test_instance_id = i.id AND p.id < s.id AND p.state = 'done' ORDER BY p.id DESC LIMIT 1
    ) AS good
    FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
    WHERE s.run_id = $1 AND s.state IN ('done', 'failed') AND ${pathMatches}
      AND (s.state = 'failed' OR EXISTS (
        SELECT 1 FROM test_snapshot p WHERE p.id = (
          SELECT q.id FROM test_snapshot q WHERE q.test_instance_id = i.id AND q.id < s.id AND q.state IN ('done', 'failed')
          ORDER BY q.id DESC LIMIT 1
        ) AND p.state = 'failed'))
  ), streaks AS (
    SELECT n.*, f.times, f.since, f.gone FROM now n CROSS JOIN LATERAL (
      SELECT count(*)::int AS times, min(p.created_at) AS since, count(*) FILTER (WHERE p.http_status IN (404, 410) AND p.id < n.id)::int AS gone
      FROM test_snapshot p
      WHERE p.test_instance_id = n.instance_id AND p.state = 'failed' AND p.id <= n.id AND (n.good IS NULL OR p.id > n.good)
    ) f
  ), told AS (
    SELECT *, CASE
      WHEN state = 'done' THEN CASE WHEN times >= $3::int THEN 'recovered' END
      WHEN http_status IN (404, 410) THEN CASE WHEN gone = 0 AND good IS NOT NULL THEN 'gone' END
      WHEN times = $3::int THEN 'failing' END AS kind
    FROM streaks
  ), ranked AS (
    SELECT *, (count(*) OVER w)::int AS total, row_number() OVER (PARTITION BY kind ORDER BY url) AS place
    FROM told WHERE kind IS NOT NULL WINDOW w AS (PARTITION BY kind)
  )
  SELECT kind, total, id AS "snapshotId", good AS "comparedWith", instance_id AS "instanceId", url, http_status AS status, error, since, times
  FROM ranked WHERE place <= ${pagesMax} ORDER BY kind, url`;

/* Of the first crawl all pages are new, which is no news. */
const fresh = `
  SELECT (count(*) OVER ())::int AS total, i.id AS "instanceId", i.url, NULL AS "snapshotId", NULL AS "comparedWith", NULL AS status,
    NULL AS error, NULL AS since, 0 AS times
  FROM run r JOIN test_instance i ON i.test_object_id = r.test_object_id AND i.created_at BETWEEN r.created_at AND r.finished_at
  WHERE r.id = $1 AND r.kind IN ('crawl', 'sitemaps') AND ${pathMatches}
    AND EXISTS (SELECT 1 FROM run b WHERE b.test_object_id = r.test_object_id AND b.kind IN ('crawl', 'sitemaps') AND b.id < r.id AND b.state = 'finished')
  ORDER BY i.url LIMIT ${pagesMax}`;

type Counted<T> = T & { total: number };

/** What a run found, of the pages that a filter leaves. Ignored changes are none. */
export async function findingsOf(tx: Queryable, runId: string, filter: FindingsFilter): Promise<Findings> {
  const path = filter.path === "" ? null : likePattern(filter.path);
  const text = filter.text === "" ? null : filter.text.toLowerCase();
  const changedRows = await tx.query<Counted<FoundPage>>(changed, [runId, path, text]);
  const groupRows = await tx.query<Counted<FoundPage & { pages: number; removed: string; added: string }>>(groups, [
    runId,
    path,
    text,
  ]);
  const freshRows = await tx.query<Counted<FoundPage>>(fresh, [runId, path]);
  const turned = await tx.query<Counted<FoundPage> & { kind: "gone" | "failing" | "recovered" }>(turns, [
    runId,
    path,
    filter.failures,
  ]);
  const of = (kind: "gone" | "failing" | "recovered") => pagesOf(turned.filter((row) => row.kind === kind));
  return {
    changed: pagesOf(changedRows),
    groupsTotal: groupRows[0]?.total ?? 0,
    groups: groupRows.map((row) => ({
      pages: row.pages,
      removed: row.removed,
      added: row.added,
      sample: { ...pageOf(row), status: null, error: null, since: null, times: 0 },
    })),
    fresh: pagesOf(freshRows),
    gone: of("gone"),
    failing: of("failing"),
    recovered: of("recovered"),
  };
}

const pagesOf = (rows: readonly Counted<FoundPage>[]): FoundPages =>
  rows.length === 0 ? none() : { total: rows[0]?.total ?? 0, pages: rows.map(pageOf) };

function pageOf(row: FoundPage): FoundPage {
  const { instanceId, url, snapshotId, comparedWith, status, error, since, times } = row;
  return { instanceId, url, snapshotId, comparedWith, status, error, since, times };
}

/** A wildcard (`*`) as a pattern of LIKE. */
const likePattern = (wildcard: string) => wildcard.replaceAll(/[\\%_]/g, "\\$&").replaceAll("*", "%");
