import type { Queryable } from "@web-tester/platform/database/database";
import { pageUrl } from "@web-tester/urls/page-url";
import type { MissedPage } from "./classify-page.js";
import { hasSkipped, pageAt } from "../pages/known-address.js";

/** A crawl or sitemap crawl, which reads a site's structure. */
export interface ReadingRun {
  id: string;
  kind: string;
  objectId: string;
}

/** The most missing pages that one run examines; the rest waits for the next run. A folder that was renamed has thousands. */
export const missedMax = 10_000;
/** The most new pages whose content is compared with that of missing pages. */
export const freshMax = 100;

/** Returns the columns that say whether this kind of run, and the other kind, found a page. */
export const foundBy = (kind: string) =>
  kind === "crawl"
    ? ({ own: "by_crawl", other: "by_sitemaps" } as const)
    : ({ own: "by_sitemaps", other: "by_crawl" } as const);

/*
 * Pages that a run of this kind found before, and no run finds any more. Pages that the run met but skipped (denied, excluded, too deep …) are not missing.
 * `more`: further joins.
 */
const missed = (kind: string, more = "") => `
  FROM test_instance i LEFT JOIN LATERAL ${pageAt("$1", "i.url")} p ON true ${more}
  WHERE i.test_object_id = $2 AND i.${foundBy(kind).own} AND NOT i.${foundBy(kind).other} AND i.lifecycle IS NULL
    AND (p.id IS NULL OR p.outcome IN ('redirected', 'canonical') OR (p.outcome = 'failed' AND p.http_status IN (404, 410)))
    AND NOT ${hasSkipped("$1", "i.url")}
    AND EXISTS (SELECT 1 FROM run r WHERE r.id = $1 AND r.ended_by IS NULL AND r.found > 0)`;

/** @returns instances whose pages have to be looked at before it can be decided what became of them */
export async function selectToLookAt(tx: Queryable, run: ReadingRun, limit: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `SELECT i.id ${missed(run.kind)} AND (p.id IS NULL OR p.outcome = 'redirected') ORDER BY i.url LIMIT $3`,
    [run.id, run.objectId, limit],
  );
  return rows.map(({ id }) => id);
}

/** SQL: pages that a run of an object created. */
const freshOf = (run: string) => `
  SELECT i.id, i.url FROM run r JOIN test_instance i ON i.test_object_id = r.test_object_id AND i.created_at BETWEEN r.created_at AND r.finished_at
  WHERE r.id = ${run}`;

const fresh = `
  SELECT f.id FROM (${freshOf("$1")}) f WHERE NOT EXISTS (SELECT 1 FROM test_snapshot s WHERE s.test_instance_id = f.id) ORDER BY f.url LIMIT $2`;

/** Returns new pages of a run that were never fetched; none when no missing page has a content that could be found elsewhere. */
export async function selectFreshToLookAt(tx: Queryable, run: ReadingRun): Promise<string[]> {
  const [lost] = await tx.query(
    `SELECT 1 ${missed(run.kind)} AND EXISTS (SELECT 1 FROM test_snapshot s WHERE s.test_instance_id = i.id AND s.content_hash IS NOT NULL) LIMIT 1`,
    [run.id, run.objectId],
  );
  if (lost === undefined) return [];
  return (await tx.query<{ id: string }>(fresh, [run.id, freshMax])).map(({ id }) => id);
}

interface MissedRow {
  id: string;
  url: string;
  outcome: string | null;
  status: number | null;
  target: string | null;
  look_state: string | null;
  look_status: number | null;
  final_url: string | null;
  redirects: { status: number }[] | null;
  look_hash: string | null;
  hash: string | null;
  drop_params: string[];
}

const facts = (kind: string) => `
  SELECT i.id, i.url, p.outcome, p.http_status AS status, p.target, l.state AS look_state, l.http_status AS look_status, l.final_url, l.redirects,
    encode(l.content_hash, 'hex') AS look_hash, (
      SELECT encode(s.content_hash, 'hex') FROM test_snapshot s
      WHERE s.test_instance_id = i.id AND s.state = 'done' AND (l.id IS NULL OR s.id < l.id) ORDER BY s.id DESC LIMIT 1
    ) AS hash, (SELECT drop_params FROM test_object WHERE id = $2) AS drop_params
  ${missed(kind, "LEFT JOIN LATERAL (SELECT s.* FROM test_snapshot s JOIN run lr ON lr.id = s.run_id AND lr.look_of = $1 WHERE s.test_instance_id = i.id ORDER BY s.id DESC LIMIT 1) l ON true")}
  ORDER BY i.url LIMIT ${missedMax}`;

/** Returns the missing pages of a run with what is known of each. */
export async function selectMissed(tx: Queryable, run: ReadingRun): Promise<(MissedPage & { id: string })[]> {
  const rows = await tx.query<MissedRow>(facts(run.kind), [run.id, run.objectId]);
  return rows.map(({ id, url, outcome, status, target, hash, ...look }) => ({
    id,
    url,
    hash,
    crawl: outcome === null ? null : { outcome, httpStatus: status, target },
    look: look.look_state === null ? null : lookOf(url, { ...look, look_state: look.look_state }),
  }));
}

function lookOf(
  url: string,
  row: Omit<MissedRow, "id" | "url" | "outcome" | "status" | "target" | "hash"> & { look_state: string },
) {
  const hops = row.redirects ?? [];
  const landed =
    hops.length === 0 || row.final_url === null
      ? null
      : pageUrl(row.final_url, new URL(url), { dropParams: row.drop_params });
  return {
    state: row.look_state,
    httpStatus: row.look_status,
    redirectedTo: landed?.href ?? null,
    forGood: hops.every(({ status }) => status === 301 || status === 308),
    hash: row.look_hash,
  };
}

const twins = `
  SELECT hash, min(url) AS url FROM (
    SELECT f.url, (SELECT encode(s.content_hash, 'hex') FROM test_snapshot s WHERE s.test_instance_id = f.id AND s.state = 'done' ORDER BY s.id DESC LIMIT 1) AS hash
    FROM (${freshOf("$1")} LIMIT 10000) f
  ) c WHERE hash IS NOT NULL GROUP BY hash HAVING count(*) = 1`;

/** A page with its newest content. `hash`: hex. */
export interface PageContent {
  url: string;
  hash: string;
  charset: string | null;
}

const newest = (pages: string) => `
  SELECT f.url, encode(s.content_hash, 'hex') AS hash, s.charset FROM (${pages}) f CROSS JOIN LATERAL (
    SELECT content_hash, charset FROM test_snapshot WHERE test_instance_id = f.id AND state = 'done' ORDER BY id DESC LIMIT 1
  ) s WHERE s.content_hash IS NOT NULL ORDER BY f.url`;

/** Returns new pages of a run with their contents, at most `freshMax`. */
export function selectFreshContents(tx: Queryable, runId: string): Promise<PageContent[]> {
  return tx.query<{ url: string; hash: string; charset: string | null }>(`${newest(freshOf("$1"))} LIMIT ${freshMax}`, [
    runId,
  ]);
}

/** Returns pages with their contents. @param ids ids of instances */
export function selectContents(tx: Queryable, ids: readonly string[]): Promise<PageContent[]> {
  return tx.query<{ url: string; hash: string; charset: string | null }>(
    newest("SELECT id, url FROM test_instance WHERE id = ANY ($1::uuid[])"),
    [ids],
  );
}

/** @returns addresses of new pages by their content, if only one of them has it */
export async function selectTwins(tx: Queryable, runId: string): Promise<Map<string, string>> {
  const rows = await tx.query<{ hash: string; url: string }>(twins, [runId]);
  return new Map(rows.map(({ hash, url }) => [hash, url]));
}
