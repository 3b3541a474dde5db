import { jobWords } from "@web-tester/contracts/job-lines";
import type { Queryable } from "@web-tester/platform/database/database";
import { startUrl } from "@web-tester/urls/page-url";
import { partitionOf } from "@web-tester/platform/bus/partition";
import { insertFirstPage } from "@web-tester/records/pages/frontier";
import { crawlProgress } from "@web-tester/records/runs/run-progress";
import { announce } from "../http/announce.js";
import { insertRun, type Starter } from "@web-tester/records/runs/start-run";
import { type LockedObject, lockForStart, type StartParts } from "./start-run.js";

/** A new crawl with its first page, before it is announced. */
export interface BegunCrawl {
  runId: string;
  pageId: string;
  host: string;
  partition: number;
  object: LockedObject;
}

/**
 * Creates a crawl that begins at the object's own address; `announceCrawl` is to be called after the commit.
 * @throws AppError not_found, conflict
 */
export async function beginCrawl(tx: Queryable, objectId: string, by: Starter): Promise<BegunCrawl> {
  const object = await lockForStart(tx, objectId, "crawl");
  const url = startUrl(object.url, object.dropParams);
  const { host } = new URL(url);
  const partition = partitionOf(host);
  const runId = await insertRun(tx, objectId, "crawl", 1, { by });
  const pageId = await insertFirstPage(tx, runId, url, partition);
  return { runId, pageId, host, partition, object };
}

/** Announces a new crawl, and queues its first page for crawlers. */
export async function announceCrawl(
  { bus, log }: StartParts,
  { runId, pageId, host, partition, object }: BegunCrawl,
): Promise<void> {
  const counters = { total: 1, completed: 0, failed: 0, changed: 0, found: 0 };
  const run = { id: runId, test_object_id: object.id, kind: "crawl", state: "running", ...counters };
  bus.publishEvent(crawlProgress(run, null));
  bus.logLine(runId, "info", jobWords("crawl-started", { url: object.url }));
  await announce(bus, log, [{ name: "crawl", partition, body: { pageIds: [pageId], host }, dedupeId: `${pageId}:0` }]);
}

/**
 * Starts a crawl at the object's own address.
 * @throws AppError not_found, conflict
 */
export async function startCrawl(
  parts: StartParts,
  objectId: string,
  by: Starter,
): Promise<{ runId: string; total: number }> {
  const begun = await parts.db.transaction((tx) => beginCrawl(tx, objectId, by));
  await announceCrawl(parts, begun);
  return { runId: begun.runId, total: 1 };
}
