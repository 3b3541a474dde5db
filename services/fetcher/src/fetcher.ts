import { createBrowserLoader } from "@web-tester/loader/browser/browser-loader";
import { createBrowserPool } from "@web-tester/loader/browser/browser-pool";
import { createLoader } from "@web-tester/loader/load-page";
import { userAgent } from "@web-tester/loader/user-agent";
import type { Bus } from "@web-tester/platform/bus/bus";
import { consumeAll } from "@web-tester/platform/bus/consume-all";
import type { Config } from "@web-tester/platform/config";
import type { Database } from "@web-tester/platform/db/database";
import type { AddressPolicy } from "@web-tester/platform/egress/address-policy";
import type { Egress } from "@web-tester/platform/egress/egress";
import { createFilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import type { Logger } from "@web-tester/platform/logger";
import type { Metrics } from "@web-tester/platform/metrics";
import { countLoads } from "@web-tester/platform/metrics/load-metrics";
import type { HostGate } from "@web-tester/platform/politeness/host-gate";
import type { HostSlots } from "@web-tester/platform/politeness/host-slots";
import { createReplayer } from "@web-tester/platform/replay/replayer";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";
import type { Tracer } from "@web-tester/platform/tracing/tracer";
import { type ReconcilerOptions, startReconciler } from "@web-tester/platform/work/reconcile";
import { recoverSnapshots } from "@web-tester/platform/work/recover-snapshots";
import { createAnswerPictures } from "./answer-pictures.js";
import { createAnswerRender } from "./answer-render.js";
import { createPageAssets } from "./page-assets.js";
import { createPageReader } from "./page-reader.js";
import { createPictureComparer } from "./picture-comparer.js";
import { createTakeSnapshots } from "./take-snapshots.js";

export interface FetcherParts {
  config: Pick<Config, "fetchConcurrency" | "hostConcurrency" | "reconcileMs" | "chromiumPath">;
  log: Logger;
  db: Database;
  bus: Bus;
  store: ObjectStore;
  egress: Egress;
  policy: AddressPolicy;
  secrets: SecretBox;
  gate: HostGate;
  slots: HostSlots;
  metrics: Metrics;
  tracer: Tracer;
  onRecovered: ReconcilerOptions["onRecovered"];
  problems: Map<string, () => Promise<string | null>>;
}

/** Questions that wait in here for a tab; the others wait on the bus. */
const rendersAtOnce = 8;
const picturesAtOnce = 4;

/**
 * Takes fetch work until stopped. Stopping ends loads under way and hands their pages back.
 * @returns a function that stops it
 */
export async function startFetcher({
  config,
  log,
  db,
  bus,
  store,
  egress,
  policy,
  secrets,
  gate,
  slots,
  metrics,
  tracer,
  onRecovered,
  problems,
}: FetcherParts): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const proxy = createFilteringProxy(policy);
  const pool = createBrowserPool({
    chromiumPath: config.chromiumPath,
    proxy,
    userAgent,
    log: (message) => log.warn(message),
  });
  problems.set("browser", () => pool.problem());
  const browser = createBrowserLoader(pool);
  const pictures = createPictureComparer();
  const replayer = createReplayer();
  const reader = createPageReader();
  const loader = createLoader({ egress, userAgent });
  const handle = createTakeSnapshots({
    db,
    bus,
    store,
    secrets,
    gate,
    slots,
    browser,
    loader,
    assets: createPageAssets({ db, store, loader, reader, gate, slots, secrets }),
    reader,
    loads: countLoads(metrics),
    tracer,
    signal: stopping.signal,
  });
  const stopTaking = await consumeAll(
    bus,
    "fetcher",
    [{ name: "fetch", concurrency: config.fetchConcurrency, handle }],
    [
      {
        name: "render",
        concurrency: rendersAtOnce,
        answer: createAnswerRender({ db, store, secrets, browser, signal: stopping.signal }),
      },
      {
        name: "pictures",
        concurrency: picturesAtOnce,
        answer: createAnswerPictures({ db, store, pool, comparer: pictures, replayer, signal: stopping.signal }),
      },
      { name: "browser", concurrency: 8, answer: async () => ({ problem: await pool.problem() }) },
    ],
  );
  const stopReconciling = startReconciler(recoverSnapshots, {
    db,
    bus,
    hostConcurrency: config.hostConcurrency,
    everyMs: config.reconcileMs,
    onError: (message, error) => log.error({ err: error }, message),
    onRecovered,
  });
  return async () => {
    stopping.abort();
    await Promise.all([stopTaking(), stopReconciling()]);
    await Promise.all([pool.close(), pictures.close(), replayer.close(), reader.close()]);
    await proxy.close();
  };
}
