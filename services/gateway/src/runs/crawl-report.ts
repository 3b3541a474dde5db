import { crawlEndings } from "@web-tester/contracts/crawl-endings";
import type { Query } from "@web-tester/contracts/api";
import type { CrawlReport, ReportGroup, Run } from "@web-tester/contracts/entities/run";
import { budgets } from "@web-tester/contracts/limits";
import type { Queryable } from "@web-tester/platform/database/database";
import { countReport, listReport, type ReportCounts } from "./report-rows.sql.js";
import { type ReportSummary, selectReportState } from "@web-tester/records/runs/report-lists";
import { selectRun } from "../snapshots/run-row.js";

/**
 * Reports what a crawl, or the reading of sitemaps, found and left out; of a running one, what it did so far.
 * @returns null where there is no such run
 */
export async function crawlReport(
  db: Queryable,
  runId: string,
  query: Query<"getRunReport">,
): Promise<CrawlReport | null> {
  const run = await selectRun(db, runId);
  if (run === null) return null;
  const { group = null, limit, offset } = query;
  const { lists, report, carriersKnown } = await selectReportState(db, runId);
  const summary = report ?? (await summarise(db, run));
  const items = group === null || lists === "removed" ? [] : await listReport(db, runId, group, limit + 1, offset);
  return {
    run,
    ...summary,
    lists,
    carriers_known: carriersKnown,
    group,
    items: items.slice(0, limit),
    hasMore: items.length > limit,
  };
}

/** Makes the summary of a report, which is kept when the report's lists are removed. */
export async function summarise(db: Queryable, run: Run): Promise<ReportSummary> {
  const counts = await countReport(db, run.id);
  return {
    counts: groupCounts(run, counts),
    ended: endedBecause(run, counts),
    complete: [...counts.skips.values()].reduce((sum, n) => sum + n, 0) < budgets.skipsMax,
  };
}

/** Sums the counts up by the groups that people see. */
export function groupCounts(
  run: Pick<Run, "found_new">,
  { outcomes, skips, gone }: ReportCounts,
): Record<ReportGroup, number> {
  const pages = (outcome: string) => outcomes.get(outcome) ?? 0;
  const left = (reason: string) => skips.get(reason) ?? 0;
  return {
    found: pages("instance"),
    new: run.found_new,
    gone,
    redirected: pages("redirected"),
    canonical: pages("canonical"),
    excluded: pages("excluded") + left("excluded"),
    denied: pages("denied") + left("denied"),
    "out-of-scope": pages("out-of-scope") + left("out-of-scope"),
    failed: pages("failed"),
    "not-html": pages("not-html"),
    budget: pages("budget") + left("pages") + left("depth"),
    trap: left("trap"),
    "too-long": left("too-long"),
    sitemap: pages("sitemap"),
  };
}

/** Says why a crawl did not see everything; null where it did. */
export function endedBecause(
  run: Pick<Run, "ended_by" | "kind" | "state">,
  { skips }: Pick<ReportCounts, "skips">,
): string | null {
  if (run.ended_by === "pages" && run.kind === "sitemaps") return crawlEndings["sitemap-pages"];
  if (run.ended_by !== null) return crawlEndings[run.ended_by];
  if (run.state === "cancelled") return crawlEndings.stopped;
  if ((skips.get("depth") ?? 0) > 0) return crawlEndings.depth;
  return (skips.get("trap") ?? 0) > 0 ? crawlEndings.trap : null;
}
