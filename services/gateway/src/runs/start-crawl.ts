import type { Database } from "@web-tester/platform/database/database";
import type { Bus } from "@web-tester/platform/bus/bus";
import { startUrl } from "@web-tester/urls/page-url";
import { partitionOf } from "@web-tester/platform/bus/partition";
import { insertFirstPage } from "@web-tester/records/pages/frontier";
import { crawlProgress } from "@web-tester/records/runs/run-progress";
import type { Logger } from "@web-tester/platform/log/logger";
import { announce } from "../http/announce.js";
import { insertRun } from "@web-tester/records/runs/start-run";
import { lockForStart } from "./start-run.js";

/**
 * Starts a crawl at the object's own address.
 * @throws AppError not_found, conflict
 */
export async function startCrawl(
  db: Database,
  bus: Bus,
  log: Logger,
  objectId: string,
): Promise<{ runId: string; total: number }> {
  const started = await db.transaction(async (tx) => {
    const object = await lockForStart(tx, objectId, "crawl");
    const url = startUrl(object.url, object.dropParams);
    const { host } = new URL(url);
    const partition = partitionOf(host);
    const runId = await insertRun(tx, objectId, "crawl", 1);
    const pageId = await insertFirstPage(tx, runId, url, partition);
    return { runId, pageId, host, partition, object };
  });
  bus.publishEvent(
    crawlProgress(
      {
        id: started.runId,
        test_object_id: objectId,
        kind: "crawl",
        state: "running",
        total: 1,
        completed: 0,
        failed: 0,
        changed: 0,
        found: 0,
      },
      null,
    ),
  );
  bus.logLine(started.runId, "info", `Crawl of ${started.object.url} started`);
  await announce(bus, log, [
    {
      name: "crawl",
      partition: started.partition,
      body: { pageIds: [started.pageId], host: started.host },
      dedupeId: `${started.pageId}:0`,
    },
  ]);
  return { runId: started.runId, total: 1 };
}
