import { createLoader } from "@web-tester/loader/load-page";
import { userAgent } from "@web-tester/loader/user-agent";
import { consumeAll } from "@web-tester/platform/bus/consume-all";
import { isHeld } from "@web-tester/records/leases/leased-rows";
import { countLoads } from "@web-tester/worker/load-metrics";
import { startReconciler } from "@web-tester/worker/reconcile";
import type { ServiceContext } from "@web-tester/worker/service-context";
import type { Held } from "@web-tester/worker/lease";
import { recoverPages, recoverSitemaps } from "@web-tester/records/pages/recover-pages";
import { createCrawlPages } from "./handlers/crawl-pages.js";
import { createPageScanner } from "./steps/page-scanner.js";
import { createReadSitemaps } from "./handlers/read-sitemaps.js";
import { createRobotsStore } from "./steps/robots-store.js";
import { createCrawlSessions } from "./steps/sign-in.js";
import { startSettler } from "./steps/settle-links.js";

/**
 * Takes crawl work until stopped. Stopping ends the loads that are under way and hands their pages back to the queue.
 * @returns a function that stops it
 */
export async function startCrawler(context: ServiceContext): Promise<() => Promise<void>> {
  const { config, db, bus, egress, secrets, metrics, onError, onRecovered } = context;
  const stopping = new AbortController();
  const { signal } = stopping;
  const loader = createLoader({ egress, userAgent });
  const robots = createRobotsStore(db, loader, signal);
  const scanner = createPageScanner();
  const settler = startSettler({ db, everyMs: config.reconcileMs, onError });
  const deps = {
    ...context,
    loader,
    robots,
    sessions: createCrawlSessions({ db, bus, secrets }),
    hostConcurrency: config.hostConcurrency,
    signal,
    loads: countLoads(metrics),
    onRunEnded: settler.nudge,
    scanner,
    isHeld: (page: Held) => isHeld(db, "crawl_page", page),
  };
  const stopTaking = await consumeAll(bus, "crawler", [
    { name: "crawl", concurrency: config.fetchConcurrency, handle: createCrawlPages(deps) },
    // more than one host can occupy with files that never end
    { name: "sitemap", concurrency: config.hostConcurrency + 2, handle: createReadSitemaps(deps) },
  ]);
  const { hostConcurrency, reconcileMs: everyMs } = config;
  const reconciling = { db, bus, hostConcurrency, everyMs, onError, onRecovered };
  const stopReconciling = [startReconciler(recoverPages, reconciling), startReconciler(recoverSitemaps, reconciling)];
  return async () => {
    stopping.abort();
    await Promise.all([stopTaking(), ...stopReconciling.map((stop) => stop()), settler.stop()]);
    await scanner.close();
  };
}
