import { createLoader } from "@web-tester/loader/load-page";
import { userAgent } from "@web-tester/loader/user-agent";
import type { Bus } from "@web-tester/platform/bus/bus";
import { consumeAll } from "@web-tester/platform/bus/consume-all";
import type { Config } from "@web-tester/platform/config";
import type { Database } from "@web-tester/platform/db/database";
import type { Egress } from "@web-tester/platform/egress/egress";
import type { Logger } from "@web-tester/platform/logger";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import { startReconciler } from "@web-tester/platform/work/reconcile";
import { recoverPages } from "@web-tester/platform/work/recover-pages";
import { createCrawlPages } from "./crawl-pages.js";

export interface CrawlerParts {
  config: Pick<Config, "fetchConcurrency" | "hostConcurrency" | "reconcileMs">;
  log: Logger;
  db: Database;
  bus: Bus;
  egress: Egress;
  secrets: SecretBox;
}

/**
 * Takes crawl work until stopped. Stopping ends loads under way and hands their pages back.
 * @returns a function that stops it
 */
export async function startCrawler({
  config,
  log,
  db,
  bus,
  egress,
  secrets,
}: CrawlerParts): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const handle = createCrawlPages({
    db,
    bus,
    secrets,
    loader: createLoader({ egress, userAgent }),
    hostConcurrency: config.hostConcurrency,
    signal: stopping.signal,
  });
  const stopTaking = await consumeAll(bus, "crawler", [
    { name: "crawl", concurrency: config.fetchConcurrency, handle },
  ]);
  const stopReconciling = startReconciler(recoverPages, {
    db,
    bus,
    hostConcurrency: config.hostConcurrency,
    everyMs: config.reconcileMs,
    onError: (message, error) => log.error({ err: error }, message),
    onRecovered: (message) => log.warn(message),
  });
  return async () => {
    stopping.abort();
    await Promise.all([stopTaking(), stopReconciling()]);
  };
}
