import { jobWords } from "@web-tester/contracts/job-lines";
import { partitionOf } from "@web-tester/platform/bus/partition";
import type { Queryable } from "@web-tester/platform/database/database";
import { insertFirstSitemaps, type QueuedSitemap } from "@web-tester/records/pages/finish-sitemap";
import { sitemapsProgress } from "@web-tester/records/runs/run-progress";
import { announce } from "../http/announce.js";
import { insertRun, type Starter } from "@web-tester/records/runs/start-run";
import { lockForStart, type StartParts } from "./start-run.js";

/** A new reading of sitemaps with its first sitemaps, before it is announced. */
export interface BegunSitemaps {
  objectId: string;
  runId: string;
  total: number;
  /** The first sitemaps, whose messages are still to be published. */
  queued: QueuedSitemap[];
}

/**
 * Creates a reading of an object's sitemaps; where it has none, of those that its site's robots.txt lists. `announceSitemaps` is to be
 * called after the commit.
 * @throws AppError not_found, conflict
 */
export async function beginSitemaps(tx: Queryable, objectId: string, by: Starter): Promise<BegunSitemaps> {
  const object = await lockForStart(tx, objectId, "sitemaps");
  const [row] = await tx.query<{ sitemaps: string[] }>(`SELECT sitemaps FROM test_object WHERE id = $1`, [objectId]);
  const written = row?.sitemaps.length ? row.sitemaps : [new URL("/robots.txt", object.url).href];
  const urls = [...new Set(written.map((text) => withoutHash(text)))];
  const runId = await insertRun(tx, objectId, "sitemaps", urls.length, { by });
  const sitemaps = urls.map((url) => ({ url, partition: partitionOf(new URL(url).host) }));
  return { objectId, runId, total: urls.length, queued: await insertFirstSitemaps(tx, runId, sitemaps) };
}

/** Announces a new reading of sitemaps, and queues the first ones for crawlers. */
export async function announceSitemaps(
  { bus, log }: StartParts,
  { objectId, runId, total, queued }: BegunSitemaps,
): Promise<void> {
  const counters = { total, completed: 0, failed: 0, changed: 0, found: 0 };
  bus.publishEvent(
    sitemapsProgress({ id: runId, test_object_id: objectId, kind: "sitemaps", state: "running", ...counters }),
  );
  bus.logLine(runId, "info", jobWords("sitemaps-started", { n: total }));
  await announce(
    bus,
    log,
    queued.map(({ id, partition, host }) => ({
      ...{ name: "sitemap" as const, partition },
      ...{ body: { pageIds: [id], host }, dedupeId: `${id}:0` },
    })),
  );
}

/**
 * Starts reading an object's sitemaps.
 * @throws AppError not_found, conflict
 */
export async function startSitemaps(
  parts: StartParts,
  objectId: string,
  by: Starter,
): Promise<{ runId: string; total: number }> {
  const begun = await parts.db.transaction((tx) => beginSitemaps(tx, objectId, by));
  await announceSitemaps(parts, begun);
  return { runId: begun.runId, total: begun.total };
}

function withoutHash(text: string): string {
  const url = new URL(text);
  url.hash = "";
  return url.href;
}
