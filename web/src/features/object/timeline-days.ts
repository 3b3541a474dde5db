import type { Run } from "@web-tester/contracts/entities/run";
import { formatDate, relativeTimes } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { language } from "../../texts/language.js";
import { t } from "../../texts/text.js";

/** The kinds of run in a timeline: those that concern the whole site, or delete something. */
export const shownKinds = [
  "snapshot-all",
  "crawl",
  "sitemaps",
  "delete-instances",
  "delete-snapshots",
] as const satisfies readonly Run["kind"][];

/** The day of a moment in the reader's time zone, as `2026-11-24`. */
export function dayOf(moment: string): string {
  const date = new Date(moment);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Groups things by day, in their order. */
export function byDay<Thing extends { readonly created_at: string }>(things: readonly Thing[]): [string, Thing[]][] {
  return [...Map.groupBy(things, ({ created_at }) => dayOf(created_at))];
}

/** "Today", "Yesterday", or the date as dd.mm.yyyy. */
export function dayName(day: string, now: Date): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  // noon is not affected by changes of clocks, which make days longer or shorter
  const noon = (of: Date) => new Date(of.getFullYear(), of.getMonth(), of.getDate(), 12).getTime();
  const days = Math.round((noon(new Date(year, month - 1, date)) - noon(now)) / 86_400_000);
  if (days > 0 || days < -1) return formatDate(new Date(year, month - 1, date)).slice(0, 10);
  const words = relativeTimes(language()).format(days, "day");
  return words.charAt(0).toLocaleUpperCase(language()) + words.slice(1);
}

/** Says in a few words what a run did. */
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

/** The address of what a run found; undefined where there is nothing to read. */
export function runAddress({ id, kind, testobject_id }: Run): string | undefined {
  if (kind === "snapshot-all") return `/runs/${id}/review`;
  return kind === "crawl" || kind === "sitemaps" ? `/objects/${testobject_id}?report=${id}` : undefined;
}
