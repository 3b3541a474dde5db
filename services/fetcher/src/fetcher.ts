import { AppError } from "@web-tester/contracts/errors";
import { createBrowserLoader } from "@web-tester/loader/browser/browser-loader";
import { type BrowserPool, createBrowserPool } from "@web-tester/loader/browser/browser-pool";
import { createLoader } from "@web-tester/loader/load-page";
import { userAgent } from "@web-tester/loader/user-agent";
import type { Bus } from "@web-tester/platform/bus/bus";
import { consumeAll } from "@web-tester/platform/bus/consume-all";
import type { Config } from "@web-tester/platform/config/config";
import type { Database } from "@web-tester/platform/database/database";
import type { AddressPolicy } from "@web-tester/platform/egress/address-policy";
import type { Egress } from "@web-tester/platform/egress/egress";
import { createFilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import type { Names } from "@web-tester/platform/egress/names";
import type { Logger } from "@web-tester/platform/log/logger";
import type { Metrics } from "@web-tester/platform/metrics/metrics";
import { countLoads } from "@web-tester/worker/load-metrics";
import type { HostGate } from "@web-tester/records/hosts/crawl-delay";
import type { HostSlots } from "@web-tester/records/hosts/host-semaphore";
import { createReplayer } from "@web-tester/replay/replayer";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { Tracer } from "@web-tester/platform/tracing/tracer";
import { type ReconcilerOptions, startReconciler } from "@web-tester/worker/reconcile";
import { recoverSnapshots } from "@web-tester/records/snapshots/recover-snapshots";
import { createAnswerPictures } from "./handlers/answer-pictures.js";
import { createAnswerRender } from "./handlers/answer-render.js";
import { createPageAssets } from "./steps/page-assets.js";
import { createPageReader } from "./steps/page-reader.js";
import { createPictureComparer } from "./steps/picture-comparer.js";
import { createTakeSnapshots } from "./handlers/take-snapshots.js";

export interface FetcherParts {
  config: Pick<Config, "fetchConcurrency" | "hostConcurrency" | "reconcileMs" | "chromiumPath" | "chromiumSandbox">;
  log: Logger;
  db: Database;
  bus: Bus;
  store: ObjectStore;
  egress: Egress;
  names: Names;
  policy: AddressPolicy;
  secrets: SecretBox;
  gate: HostGate;
  slots: HostSlots;
  metrics: Metrics;
  tracer: Tracer;
  onRecovered: ReconcilerOptions["onRecovered"];
  problems: Map<string, () => Promise<string | null>>;
  notes: Map<string, () => string | null>;
  checks: Record<string, () => Promise<void>>;
}

/**
 * Questions that wait in this process, where objects take turns. Any more wait on the bus, in the order in which they
 * came.
 */
const questionsAtOnce = 512;
/**
 * How long after a failed start a browser that must have its sandbox is tried again, as the operator may have allowed
 * it meanwhile.
 */
const retryMs = 30_000;

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
  names,
  policy,
  secrets,
  gate,
  slots,
  metrics,
  tracer,
  onRecovered,
  problems,
  notes,
  checks,
}: FetcherParts): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const proxy = createFilteringProxy(policy, { names });
  const pool = createBrowserPool({
    chromiumPath: config.chromiumPath,
    sandbox: config.chromiumSandbox,
    proxy,
    userAgent,
    log: (message) => log.warn(message),
  });
  problems.set("browser", () => pool.problem());
  showBrowser(pool, { config, log, problems, notes, checks });
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
    assets: createPageAssets({ db, store, loader, names, reader, gate, slots, secrets }),
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
        concurrency: questionsAtOnce,
        answer: createAnswerRender({ db, store, secrets, browser, signal: stopping.signal }),
      },
      {
        name: "pictures",
        concurrency: questionsAtOnce,
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

/** Says what the browser is and how it is confined: in the log at the start, and in `/readyz`. */
function showBrowser(
  pool: BrowserPool,
  { config, log, problems, notes, checks }: Pick<FetcherParts, "config" | "log" | "problems" | "notes" | "checks">,
): void {
  notes.set("browser", () => pool.state()?.words ?? null);
  problems.set("browser sandbox", async () => {
    const state = pool.state();
    return state === null || state.isolation.unsandboxed === null ? null : state.words;
  });
  problems.set("browser age", async () => pool.state()?.ageProblem ?? null);
  let refusal: string | null = "The browser is being tried: in a moment it is known whether it has its sandbox.";
  let triedAt = 0;
  const introduce = async () => {
    triedAt = performance.now();
    try {
      const { words } = await pool.introduce();
      refusal = null;
      log.info(words);
    } catch (error) {
      refusal = error instanceof Error ? error.message : String(error);
      log.warn(refusal);
    }
  };
  if (config.chromiumSandbox === "required")
    checks["browser"] = async () => {
      if (refusal === null) return;
      // so that an operator who allows what is missing need not restart anything
      if (performance.now() - triedAt > retryMs) void introduce();
      throw new AppError("browser_unavailable", refusal);
    };
  void introduce();
}
