import type { ObjectProgress, Progress } from "@web-tester/contracts/entities/run";
import type { ProductEvent } from "@web-tester/contracts/socket";
import { applyEvent, type BarName, endedBars } from "../../api/live/progress.js";
import { counted } from "../../ui/format/words.js";
import type { ToastType } from "../../ui/toasts/toast-rules.js";
import type { ToastLink } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";

export interface News {
  readonly type: ToastType;
  readonly message: string;
  readonly link?: ToastLink;
}

/** What was already announced for one object, since a later read may report the same again. */
export interface Told {
  /** Runs whose end was announced. */
  readonly ended: Set<string | null>;
  /** The fetch of many pages whose first failure was announced; further ones are only counted at its end. */
  failing: string | null;
}

export const nothingTold = (): Told => ({ ended: new Set(), failing: null });

const deletedWords = {
  instances: "Deleted {done} instance(s).",
  snapshots: "Deleted {done} snapshot(s).",
  object: "Deleted {done} item(s).",
} as const;

const none = { completed: 0, total: 0, failed: 0, running: false, runId: null };
const idle: ObjectProgress = { snapshotAll: none, crawl: none, sitemaps: none, rules: none, deletion: none };

/**
 * Converts events about one object to messages for people, in the words of the specification (§8). Stopped runs do not count as a
 * success, and neither does one that failed in part or found nothing.
 * @param before the object's progress before these events; undefined where it was not loaded yet
 * @param told is added to. It decides rather than what was loaded, because a read may report a run's end before its event does
 */
export function newsOf(
  before: ObjectProgress | undefined,
  events: readonly ProductEvent[],
  wasCancelled: (runId: string | null) => boolean,
  told: Told,
): News[] {
  const news: News[] = [];
  for (const event of events) {
    if (event.type === "fetch:error" && isToldAlone(before?.snapshotAll, told))
      news.push({ type: "error", message: t("Failed to fetch snapshot: {url}", { url: event.url || t("unknown") }) });
    if (before === undefined) continue;
    for (const { bar, progress } of endedBars(idle, applyEvent(idle, event))) {
      if (told.ended.has(progress.runId) || wasCancelled(progress.runId)) continue;
      told.ended.add(progress.runId);
      const end = endOf(bar, progress, event);
      if (end !== null) news.push(end);
    }
  }
  return news;
}

/** Whether a failure gets a message of its own: of a fetch of many pages only the first one does. */
function isToldAlone(fetch: Progress | undefined, told: Told): boolean {
  if (fetch === undefined || !fetch.running || fetch.total <= 1) return true;
  if (told.failing !== null && told.failing === fetch.runId) return false;
  told.failing = fetch.runId;
  return true;
}

function endOf(bar: BarName, { completed, failed, total, kind }: Progress, event: ProductEvent): News | null {
  const done = completed - failed;
  const found = "found" in event ? event.found : done;
  // finding nothing is a result, but not a success
  const type = found > 0 ? "success" : "info";
  switch (bar) {
    case "crawl":
      return { type, message: t("Crawl completed! Found {found} page(s).", { found: String(found) }) };
    case "sitemaps":
      return { type, message: t("Sitemap crawl completed! Found {found} URL(s).", { found: String(found) }) };
    case "rules":
      return kind === "noise"
        ? { type: "success", message: t("Looked for noise in {done} page(s).", { done: String(done) }) }
        : { type: "success", message: t("Rules applied to the history of {done} page(s).", { done: String(done) }) };
    case "deletion": {
      const mode = "mode" in event ? event.mode : "object";
      // that the object is gone was announced when it was deleted
      return mode === "object" && done === 0
        ? null
        : { type: done > 0 ? "success" : "info", message: t(deletedWords[mode], { done: String(done) }) };
    }
    case "snapshotAll":
      return fetchEnd(done, failed, total, event.testobjectId);
  }
}

function fetchEnd(done: number, failed: number, total: number, objectId: string): News | null {
  if (total <= 1) return done > 0 ? { type: "success", message: t("Snapshot fetched successfully") } : null;
  const link = { to: `/objects/${objectId}?status=failed`, label: t("Show them") };
  if (done === 0)
    return failed === 0
      ? null
      : { type: "error", message: t("{pages} failed.", { pages: counted(failed, "page") }), link };
  const fetched = t("Successfully fetched {done} snapshot(s)!", { done: String(done) });
  return failed === 0
    ? { type: "success", message: fetched }
    : { type: "warning", message: t("{fetched} {failed} failed.", { fetched, failed }), link };
}
