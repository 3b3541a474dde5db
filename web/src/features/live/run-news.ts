import type { ObjectProgress } from "@web-tester/contracts/entities/run";
import type { ProductEvent } from "@web-tester/contracts/socket";
import { applyEvent, endedBars } from "../../api/live/progress.js";

export interface News {
  readonly type: "success" | "error";
  readonly message: string;
}

const deletedNouns = { instances: "instance(s)", snapshots: "snapshot(s)", object: "item(s)" } as const;

const none = { completed: 0, total: 0, failed: 0, running: false, runId: null };
const idle: ObjectProgress = { snapshotAll: none, crawl: none, sitemaps: none, rules: none, deletion: none };

/**
 * What events about one object tell people, in the words of the specification (§8). Runs that were stopped are no success.
 * @param known whether the object has been read
 * @param told runs whose end was told; added to. Not what was read decides: a read may tell the end before its event does
 */
export function newsOf(
  known: boolean,
  events: readonly ProductEvent[],
  wasCancelled: (runId: string | null) => boolean,
  told: Set<string | null>,
): News[] {
  const news: News[] = [];
  for (const event of events) {
    if (event.type === "fetch:error")
      news.push({ type: "error", message: `Failed to fetch snapshot: ${event.url || "unknown"}` });
    if (!known) continue;
    for (const { bar, progress: last } of endedBars(idle, applyEvent(idle, event))) {
      if (told.has(last.runId) || wasCancelled(last.runId)) continue;
      told.add(last.runId);
      const done = last.completed - last.failed;
      if (bar === "crawl")
        news.push({
          type: "success",
          message: `Crawl completed! Found ${event.type === "crawl:progress" ? event.found : done} page(s).`,
        });
      else if (bar === "sitemaps")
        news.push({
          type: "success",
          message: `Sitemap crawl completed! Found ${"found" in event ? event.found : done} URL(s).`,
        });
      else if (bar === "rules")
        news.push({ type: "success", message: `Rules applied to the history of ${done} page(s).` });
      else if (bar === "deletion")
        news.push({
          type: "success",
          message: `Deleted ${done} ${deletedNouns["mode" in event ? event.mode : "object"]}.`,
        });
      else if (done > 0)
        news.push({
          type: "success",
          message: last.total === 1 ? "Snapshot fetched successfully" : `Successfully fetched ${done} snapshot(s)!`,
        });
    }
  }
  return news;
}
