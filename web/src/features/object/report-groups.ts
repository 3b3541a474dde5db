import type { CrawlReport, ReportGroup } from "@web-tester/contracts/entities/run";
import { type Label, t } from "../../texts/text.js";

export interface ShownGroup {
  readonly key: ReportGroup;
  readonly word: string;
  readonly count: number;
}

const words: Readonly<Record<ReportGroup, Label>> = {
  failed: "Failed",
  gone: "Gone",
  new: "New",
  found: "Found",
  redirected: "Redirected",
  canonical: "Other address",
  denied: "Robots denied",
  excluded: "Excluded",
  "out-of-scope": "Out of scope",
  "not-html": "Not HTML",
  budget: "Over budget",
  trap: "Traps",
  "too-long": "Too long",
  sitemap: "Sitemaps",
};

const order: readonly ReportGroup[] = [
  "failed",
  "gone",
  "new",
  "found",
  "redirected",
  "canonical",
  "denied",
  "excluded",
  "out-of-scope",
  "not-html",
  "budget",
  "trap",
  "too-long",
  "sitemap",
];

/** The lists that are not empty, those that need attention first. */
export function listedGroups(counts: CrawlReport["counts"]): ShownGroup[] {
  return order.map((key) => ({ key, word: t(words[key]), count: counts[key] })).filter(({ count }) => count > 0);
}

/** The parts of the bar in the order of drawing, without empty ones except for what was found. */
export function stackedGroups(
  counts: CrawlReport["counts"],
): { key: string; word: string; color: string; count: number }[] {
  const parts = [
    { key: "found", word: t("in scope"), color: "var(--wt-accent)", count: counts.found },
    { key: "out", word: t("out of scope"), color: "var(--wt-line-strong)", count: counts["out-of-scope"] },
    { key: "excluded", word: t("excluded"), color: "var(--wt-text-3)", count: counts.excluded },
    { key: "denied", word: t("robots denied"), color: "var(--wt-text-2)", count: counts.denied },
    { key: "budget", word: t("over budget"), color: "var(--wt-changed-solid)", count: counts.budget + counts.trap },
    { key: "failed", word: t("failed"), color: "var(--wt-failed-solid)", count: counts.failed },
  ];
  return parts.filter(({ key, count }) => count > 0 || key === "found");
}

/** Which kinds of moves a crawl found: new pages and gone pages, where there are any. */
export const movesOf = (counts: CrawlReport["counts"]): readonly ("new" | "gone")[] =>
  (["new", "gone"] as const).filter((kind) => counts[kind] > 0);
