import type { Run } from "@web-tester/contracts/entities/run";
import { formatDate, relativeTimes } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { language } from "../../texts/language.js";
import { t } from "../../texts/text.js";

/** Runs that a timeline shows: what looks at the whole site, or takes something away. */
export const shownKinds = [
  "snapshot-all",
  "crawl",
  "sitemaps",
  "delete-instances",
  "delete-snapshots",
] as const satisfies readonly Run["kind"][];

/** A day of the reader's clock as `2026-11-24`. */
export function dayOf(moment: string): string {
  const date = new Date(moment);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Things by day, in their order. */
export function byDay<Thing extends { readonly created_at: string }>(things: readonly Thing[]): [string, Thing[]][] {
  return [...Map.groupBy(things, ({ created_at }) => dayOf(created_at))];
}

/** "Today", "Yesterday", or the date as dd.mm.yyyy. */
export function dayName(day: string, now: Date): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  // at noon no change of clocks makes a day longer or shorter than it is
  const noon = (of: Date) => new Date(of.getFullYear(), of.getMonth(), of.getDate(), 12).getTime();
  const days = Math.round((noon(new Date(year, month - 1, date)) - noon(now)) / 86_400_000);
  if (days > 0 || days < -1) return formatDate(new Date(year, month - 1, date)).slice(0, 10);
  const words = relativeTimes(language()).format(days, "day");
  return words.charAt(0).toLocaleUpperCase(language()) + words.slice(1);
}

/** What a run did, in a few words. */
export function runWords(run: Run): string {
  const done = doneWords(run);
  if (run.state === "running") return t("{run}, running", { run: done });
  return run.state === "cancelled" ? t("{run}, stopped", { run: done }) : done;
}

function doneWords({ kind, total, completed, changed, failed, found, found_new }: Run): string {
  switch (kind) {
    case "crawl":
      return t("Crawl: {pages} found, {count} new", { pages: counted(found, "page"), count: found_new });
    case "sitemaps":
      return t("Sitemap crawl: {pages} found, {count} new", { pages: counted(found, "page"), count: found_new });
    case "snapshot-all": {
      const parts = [
        changed > 0 ? t("{changed} changed", { changed }) : t("nothing changed"),
        failed > 0 ? t("{failed} failed", { failed }) : "",
      ];
      return t("Fetch of {pages}: {what}", {
        pages: counted(total, "page"),
        what: parts.filter((part) => part !== "").join(", "),
      });
    }
    default:
      return t("Deletion of {items}", { items: counted(completed, "item") });
  }
}

/** Where what a run found is read; undefined where nothing is to be read. */
export function runAddress({ id, kind, testobject_id }: Run): string | undefined {
  if (kind === "snapshot-all") return `/runs/${id}/review`;
  return kind === "crawl" || kind === "sitemaps" ? `/objects/${testobject_id}?report=${id}` : undefined;
}
