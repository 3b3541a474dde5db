import { crawlReport, reportGroup } from "@web-tester/contracts/entities/run";
import type { Queryable } from "@web-tester/platform/database/database";
import { z } from "zod";

const reportSummary = crawlReport.pick({ counts: true, ended: true, complete: true });

/** The part of a report that is kept when its lists are removed. */
export type ReportSummary = z.infer<typeof reportSummary>;

const noneOfAny = Object.fromEntries(reportGroup.options.map((group) => [group, 0]));
/** Fills in lists that did not exist yet when a report was stored. */
const withEveryList = (counts: unknown) =>
  typeof counts === "object" && counts !== null ? { ...noneOfAny, ...counts } : counts;
const keptSummary = reportSummary.extend({ counts: z.preprocess(withEveryList, reportSummary.shape.counts) });

const select = `SELECT lists, report, links_settled OR kind <> 'crawl' AS "linksSettled" FROM run WHERE id = $1`;

interface ReportState {
  lists: "kept" | "removed";
  /** Set from the moment when removing the lists begins. */
  report: ReportSummary | null;
  carriersKnown: boolean;
}

export async function selectReportState(db: Queryable, runId: string): Promise<ReportState> {
  const [row] = await db.query<{ lists: string; report: unknown; linksSettled: boolean }>(select, [runId]);
  return {
    lists: row === undefined || row.lists === "kept" ? "kept" : "removed",
    report: row?.report == null ? null : keptSummary.parse(row.report),
    carriersKnown: row?.linksSettled ?? false,
  };
}

/* Runs that are not among the newest of their object and kind any more; the index on runs with lists bounds the work. */
const outdated = `
  SELECT id FROM (
    SELECT id, state, row_number() OVER (PARTITION BY test_object_id, kind ORDER BY id DESC) AS place
    FROM run WHERE kind IN ('crawl', 'sitemaps') AND lists <> 'removed'
  ) AS kept
  WHERE place > $1 AND state <> 'running' ORDER BY id LIMIT 50`;

/** @param kept number of runs per object and kind that keep their lists */
export async function outdatedRuns(db: Queryable, kept: number): Promise<string[]> {
  return (await db.query<{ id: string }>(outdated, [kept])).map(({ id }) => id);
}

const lock = `SELECT 1 FROM run WHERE id = $1 AND lists = 'kept' FOR UPDATE`;

/** @returns false when another gateway has already begun to remove the lists */
export async function lockKept(tx: Queryable, runId: string): Promise<boolean> {
  return (await tx.query(lock, [runId])).length > 0;
}

/** Begins to remove the lists of a run; from now on its report is `summary`. */
export async function beginRemoval(tx: Queryable, runId: string, summary: ReportSummary): Promise<void> {
  await tx.query(`UPDATE run SET lists = 'removing', report = $2, links_settled = true WHERE id = $1`, [
    runId,
    JSON.stringify(summary),
  ]);
}

const end = `
  UPDATE run SET lists = 'removed' WHERE id = $1 AND lists = 'removing'
    AND NOT EXISTS (SELECT 1 FROM crawl_page WHERE run_id = $1) AND NOT EXISTS (SELECT 1 FROM crawl_skip WHERE run_id = $1)
    AND NOT EXISTS (SELECT 1 FROM crawl_carrier WHERE run_id = $1) AND NOT EXISTS (SELECT 1 FROM crawl_link WHERE run_id = $1)`;

/** Marks the lists as removed, unless another gateway is still removing them. */
export async function endRemoval(db: Queryable, runId: string): Promise<void> {
  await db.query(end, [runId]);
}
