import { AppError } from "@web-tester/contracts/errors";
import { createBrowserLoader } from "@web-tester/loader/browser/browser-loader";
import { type BrowserPool, createBrowserPool } from "@web-tester/loader/browser/browser-pool";
import { createLoader } from "@web-tester/loader/load-page";
import { userAgent } from "@web-tester/loader/user-agent";
import { consumeAll } from "@web-tester/platform/bus/consume-all";
import { createFilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import { countLoads } from "@web-tester/worker/load-metrics";
import { createReplayer } from "@web-tester/replay/replayer";
import { startReconciler } from "@web-tester/worker/reconcile";
import type { ServiceContext } from "@web-tester/worker/service-context";
import { untilStopped } from "@web-tester/worker/until-stopped";
import { recoverSnapshots } from "@web-tester/records/snapshots/recover-snapshots";
import { createAnswerSignIn, createAnswerTryLogin } from "./handlers/answer-login.js";
import { createAnswerElements } from "./handlers/answer-elements.js";
import { createAnswerPictures } from "./handlers/answer-pictures.js";
import { createAnswerProbe } from "./handlers/answer-probe.js";
import { createAnswerProbeFile } from "./handlers/answer-probe-file.js";
import { createAnswerRender } from "./handlers/answer-render.js";
import { createPageAssets } from "./steps/page-assets.js";
import { createPageReader } from "./steps/page-reader.js";
import { createPictureComparer } from "./steps/picture-comparer.js";
import { createAnswerThumbnail } from "./handlers/answer-thumbnail.js";
import { createKeptEffects } from "./steps/kept-effects.js";
import { createScriptEffects } from "./steps/script-effects.js";
import { createSiteSessions } from "./steps/site-sessions.js";
import { createTakeSnapshots } from "./handlers/take-snapshots.js";

/** Questions taken from the bus at once; inside, objects take turns. Questions beyond that wait in order of arrival. */
const questionsAtOnce = 512;
/**
 * How long after a failed start a browser that must have its sandbox is started again: the operator may have allowed the
 * sandbox meanwhile.
 */
const retryMs = 30_000;
/**
 * How long after the fetcher's start the browser is started for a test, unless a page needs it before: that is a third of
 * the cost of a fetcher's start, at a time when processors are short. Where the sandbox is required, readiness depends on
 * the browser, and it is tested at once.
 */
const introducedAfterMs = 60_000;

/**
 * Takes fetch work until stopped. Stopping ends the loads that are under way and hands their pages back to the queue.
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
  crawlDelay,
  slots,
  metrics,
  tracer,
  onError,
  onRecovered,
  problems,
  notes,
  checks,
}: ServiceContext): Promise<() => Promise<void>> {
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
  const stopShowing = showBrowser(pool, { config, log, problems, notes, checks });
  const browser = createBrowserLoader(pool);
  const pictures = createPictureComparer();
  const replayer = createReplayer();
  const reader = createPageReader();
  const loader = createLoader({ egress, userAgent });
  const sessions = createSiteSessions({ db, secrets, pool, signal: stopping.signal });
  const kept = createKeptEffects(db, (error) => log.warn({ err: error }, "what scripts do could not be read or kept"));
  const effects = createScriptEffects(kept);
  const pages = { browser, loader, reader, effects, sessions };
  const loading = { db, store, secrets, crawlDelay, slots, ...pages, signal: stopping.signal };
  const assets = createPageAssets({ db, store, loader, names, reader, crawlDelay, slots, secrets, sessions });
  const handle = createTakeSnapshots({
    ...loading,
    bus,
    assets,
    loads: countLoads(metrics),
    tracer,
  });
  const stopTaking = await consumeAll(
    bus,
    "fetcher",
    [{ name: "fetch", concurrency: config.fetchConcurrency, handle }],
    untilStopped(stopping.signal, [
      {
        name: "render",
        concurrency: questionsAtOnce,
        answer: createAnswerRender({ db, store, secrets, ...pages, signal: stopping.signal }),
      },
      {
        name: "pictures",
        concurrency: questionsAtOnce,
        answer: createAnswerPictures({ db, store, pool, comparer: pictures, replayer, signal: stopping.signal }),
      },
      {
        name: "elementsAt",
        concurrency: 2,
        answer: createAnswerElements({ db, store, pool, replayer, signal: stopping.signal }),
      },
      {
        name: "thumbnail",
        concurrency: questionsAtOnce,
        answer: createAnswerThumbnail({ db, store, pool, replayer, signal: stopping.signal }),
      },
      { name: "probe", concurrency: config.fetchConcurrency, answer: createAnswerProbe(loading) },
      {
        name: "probeFile",
        concurrency: config.fetchConcurrency,
        answer: createAnswerProbeFile({ db, assets, signal: stopping.signal }),
      },
      { name: "tryLogin", concurrency: 8, answer: createAnswerTryLogin(sessions, store) },
      { name: "signIn", concurrency: questionsAtOnce, answer: createAnswerSignIn(sessions) },
      { name: "browser", concurrency: 8, answer: async () => ({ problem: await pool.problem() }) },
    ]),
  );
  const stopReconciling = startReconciler(recoverSnapshots, {
    db,
    bus,
    hostConcurrency: config.hostConcurrency,
    everyMs: config.reconcileMs,
    onError,
    onRecovered,
  });
  return async () => {
    stopping.abort();
    stopShowing();
    await Promise.all([stopTaking(), stopReconciling()]);
    await Promise.all([pool.close(), pictures.close(), replayer.close(), reader.close()]);
    await proxy.close();
  };
}

/**
 * Reports the browser's version and how it is confined, in the log and in `/readyz`, as soon as it has started once.
 * @returns a function that stops waiting for that
 */
function showBrowser(
  pool: BrowserPool,
  { config, log, problems, notes, checks }: Pick<ServiceContext, "config" | "log" | "problems" | "notes" | "checks">,
): () => void {
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
  if (config.chromiumSandbox !== "required") {
    const timer = setTimeout(() => {
      const known = pool.state();
      if (known === null) void introduce();
      else log.info(known.words);
    }, introducedAfterMs);
    return () => clearTimeout(timer);
  }
  checks["browser"] = async () => {
    if (refusal === null) return;
    // an operator who allows the sandbox later need not restart anything
    if (performance.now() - triedAt > retryMs) void introduce();
    throw new AppError("browser_unavailable", refusal);
  };
  void introduce();
  return () => undefined;
}
