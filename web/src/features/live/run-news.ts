import type { ObjectProgress } from "@web-tester/contracts/entities";
import type { ProductEvent } from "@web-tester/contracts/socket";
import { applyEvent, endedBars } from "../../api/live/progress.js";

export interface News {
  readonly type: "success" | "error";
  readonly message: string;
}

const deletedNouns = { instances: "instance(s)", snapshots: "snapshot(s)", object: "item(s)" } as const;

/** What events about one object tell people, in the words of the specification (§8). Runs that were stopped are no success. */
export function newsOf(
  before: ObjectProgress | undefined,
  events: readonly ProductEvent[],
  wasCancelled: (runId: string | null) => boolean,
): News[] {
  const news: News[] = [];
  let progress = before;
  for (const event of events) {
    if (event.type === "fetch:error")
      news.push({ type: "error", message: `Failed to fetch snapshot: ${event.url || "unknown"}` });
    if (progress === undefined) continue;
    const next = applyEvent(progress, event);
    for (const { bar, progress: last } of endedBars(progress, next)) {
      if (wasCancelled(last.runId)) continue;
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
    progress = next;
  }
  return news;
}
