import type { Bus } from "@web-tester/platform/bus/bus";
import { partitionOf } from "@web-tester/platform/bus/partition";
import type { Database } from "@web-tester/platform/database/database";
import { insertFirstSitemaps } from "@web-tester/records/pages/finish-sitemap";
import { sitemapsProgress } from "@web-tester/records/runs/run-progress";
import type { Logger } from "@web-tester/platform/log/logger";
import { announce } from "../http/announce.js";
import { insertRun } from "@web-tester/records/runs/start-run";
import { lockForStart } from "./start-run.js";

/**
 * Starts reading an object's sitemaps; where it has none, those that the robots.txt of its site names.
 * @throws AppError not_found, conflict
 */
export async function startSitemaps(
  db: Database,
  bus: Bus,
  log: Logger,
  objectId: string,
): Promise<{ runId: string; total: number }> {
  const started = await db.transaction(async (tx) => {
    const object = await lockForStart(tx, objectId, "sitemaps");
    const [row] = await tx.query<{ sitemaps: string[] }>(`SELECT sitemaps FROM test_object WHERE id = $1`, [objectId]);
    const written = row?.sitemaps.length ? row.sitemaps : [new URL("/robots.txt", object.url).href];
    const urls = [...new Set(written.map((text) => withoutHash(text)))];
    const runId = await insertRun(tx, objectId, "sitemaps", urls.length);
    const sitemaps = urls.map((url) => ({ url, partition: partitionOf(new URL(url).host) }));
    return { runId, total: urls.length, ids: await insertFirstSitemaps(tx, runId, sitemaps) };
  });
  const { runId, total } = started;
  bus.publishEvent(
    sitemapsProgress({
      id: runId,
      test_object_id: objectId,
      kind: "sitemaps",
      state: "running",
      total,
      completed: 0,
      failed: 0,
      changed: 0,
      found: 0,
    }),
  );
  bus.logLine(runId, "info", `Reading ${total} ${total === 1 ? "sitemap" : "sitemaps"} started`);
  await announce(
    bus,
    log,
    started.ids.map((id) => ({ name: "sitemap" as const, body: { pageIds: [id] }, dedupeId: `${id}:0` })),
  );
  return { runId, total };
}

function withoutHash(text: string): string {
  const url = new URL(text);
  url.hash = "";
  return url.href;
}
