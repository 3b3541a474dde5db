import { availableParallelism } from "node:os";
import { AppError } from "@web-tester/contracts/errors";
import type { CDPSession, Page } from "playwright-core";
import type { FilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import type { ProxyDoor, ProxyGrant } from "@web-tester/platform/egress/proxy-listener";
import { createFairSlots } from "@web-tester/platform/lifecycle/fair-slots";
import { ageProblem, describeAge } from "./chromium-age.js";
import {
  type ChromiumProcess,
  describeIsolation,
  type Isolation,
  launchChromium,
  type SandboxSetting,
} from "./chromium-process.js";
import { findChromium } from "./find-chromium.js";
import { openTab, type Tab, TabCrash, within } from "./tab.js";

export interface BrowserPoolOptions {
  /** Value of CHROMIUM_PATH. */
  chromiumPath: string | undefined;
  /** Value of CHROMIUM_SANDBOX; default preferred. */
  sandbox?: SandboxSetting;
  proxy: FilteringProxy;
  /** How pages name the product, at the end of the browser's own User-Agent. */
  userAgent: string;
  /** Tabs of one object at work at once; default: one per processor, 2 to 4. There is one more, for whoever has none. */
  tabs?: number;
  /** Resident bytes of one process of Chromium above which the tab it draws is given up; default 1.25 GiB. */
  processMaxBytes?: number;
  /** Resident bytes of all of them above which Chromium is started anew once its pages are done; default 2 GiB. */
  totalMaxBytes?: number;
  log(message: string): void;
}

/** What is known of the browser since it was last started. */
export interface BrowserState {
  version: string;
  isolation: Isolation;
  /** In one sentence: version, age, sandbox, user. */
  words: string;
  /** Why it should be replaced, in words; null where it is young enough. */
  ageProblem: string | null;
}

export interface PageOptions {
  /** Whose page it is: an emptied tab is used again for the same owner only. */
  owner: string;
  /** The test object whose turn it is, where that is not the owner: objects take turns. */
  turnOf?: string;
  grant: ProxyGrant;
  /** Time for the page once it has a tab; what is not done by then is ended hard. */
  deadlineMs: number;
  /** Ends the page, also while it waits for a tab; an AppError as its reason is what the caller gets. */
  signal: AbortSignal;
}

/** An empty tab for one page. */
export interface BrowserPage {
  page: Page;
  /** A session of its own with the page. */
  cdp: CDPSession;
  door: ProxyDoor;
  /** Aborted when the page's time is over, however it ended. */
  over: AbortSignal;
  /** To be called for a page in which nothing ran and nothing can: its tab is emptied without being led away, at an eighth of the cost. */
  ranNothing(): void;
}

/** One Chromium, started when it is first needed, and its tabs. */
export interface BrowserPool {
  /**
   * Does something in an empty tab: no cookie, storage, cache, permission or connection of another page is there. Objects take turns: one
   * never has every tab, and one that has none is next, so that it waits at most for one page of others to end.
   * @throws AppError browser_unavailable, browser_crashed (repeating can help), timed_out, cancelled, and what `work` throws
   */
  withPage<Result>(options: PageOptions, work: (page: BrowserPage) => Promise<Result>): Promise<Result>;
  /** Why there is no browser, in words; null where there is one. Starts nothing. */
  problem(): Promise<string | null>;
  /** Starts Chromium, unless it runs, sees what it is, and ends it where nobody has come to need it. @throws AppError browser_unavailable */
  introduce(): Promise<BrowserState>;
  /** As of its last start; null before. */
  state(): BrowserState | null;
  /** Ends Chromium and every page in it. */
  close(): Promise<void>;
}

/** Chromium and what it has been used for. */
interface Generation {
  chromium: ChromiumProcess;
  idle: Tab[];
  /** Tabs open or opening. */
  tabs: number;
  isEnding: boolean;
}

const closeTabMs = 1_500;
const lookEveryMs = 1_000;
/** A problem is looked for again after this long, so that whoever installs a browser need not start anything anew. */
const problemKnownMs = 15_000;

export function createBrowserPool(options: BrowserPoolOptions): BrowserPool {
  const { proxy, log } = options;
  const ofOneObject = options.tabs ?? Math.min(4, Math.max(2, availableParallelism()));
  const size = ofOneObject + 1;
  const processMaxBytes = options.processMaxBytes ?? 1.25 * 1024 ** 3;
  const totalMaxBytes = options.totalMaxBytes ?? 2 * 1024 ** 3;
  const slots = createFairSlots(size, ofOneObject);
  const closing = new AbortController();
  let current: Promise<Generation> | null = null;
  let deadDoor: Promise<ProxyDoor> | null = null;
  let launchProblem: string | null = null;
  let state: BrowserState | null = null;
  let known: { at: number; problem: string | null } | null = null;

  async function launch(): Promise<Generation> {
    const program = await findChromium(options.chromiumPath);
    deadDoor ??= proxy.openDoor();
    const chromium = await launchChromium(program, (await deadDoor).port, options.userAgent, options.sandbox);
    note(chromium);
    const generation: Generation = { chromium, idle: [], tabs: 0, isEnding: false };
    const watch = setInterval(() => void look(generation), lookEveryMs);
    watch.unref();
    chromium.browser.once("disconnected", () => {
      clearInterval(watch);
      retire(generation);
      chromium.kill(); // what is left of its processes
    });
    if (closing.signal.aborted) chromium.kill();
    return generation;
  }

  /** Said again where it is not as it was. */
  function note({ browser, isolation }: ChromiumProcess): void {
    const version = browser.version();
    const now = new Date();
    const words = `Chromium ${version} (${describeAge(version, now)}) runs ${describeIsolation(isolation)}.`;
    const isNew = state?.words !== words;
    state = { version, isolation, words, ageProblem: ageProblem(version, now) };
    if (!isNew) return;
    if (isolation.unsandboxed !== null)
      log(
        `${words} A page that breaks out of it can do what that user can: see CHROMIUM_SANDBOX in the operator's guide`,
      );
    if (state.ageProblem !== null) log(state.ageProblem);
  }

  function running(): Promise<Generation> {
    if (current !== null) return current;
    const starting = launch();
    current = starting;
    starting.then(
      () => (launchProblem = null),
      (error: unknown) => {
        launchProblem = wordsOf(error);
        if (current === starting) current = null;
      },
    );
    return starting;
  }

  /** No new page goes to this one; it ends with its last. */
  function retire(generation: Generation): void {
    if (generation.isEnding) return;
    generation.isEnding = true;
    current = null;
    void endIfIdle(generation);
  }

  async function endIfIdle(generation: Generation): Promise<void> {
    if (!generation.isEnding || generation.tabs > generation.idle.length) return;
    const { chromium } = generation;
    await Promise.all(generation.idle.splice(0).map((tab) => tab.door.close()));
    if (!(await within(closeTabMs, chromium.browser.close()))) chromium.kill();
  }

  async function look(generation: Generation): Promise<void> {
    const { chromium } = generation;
    const processes = await chromium.memory().catch(() => []);
    for (const { pid, type, bytes } of processes) {
      if (bytes <= processMaxBytes || type === "browser") continue;
      log(`A ${type} process of Chromium was ended: it held ${Math.round(bytes / 1024 ** 2)} MiB`);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // it ended by itself
      }
    }
    const total = processes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= totalMaxBytes || generation.isEnding) return;
    log(`Chromium is started anew: it holds ${Math.round(total / 1024 ** 2)} MiB`);
    retire(generation);
  }

  async function takeTab(generation: Generation, owner: string): Promise<Tab> {
    const at = generation.idle.findIndex((tab) => tab.owner === owner);
    const [own] = at === -1 ? [] : generation.idle.splice(at, 1);
    if (own !== undefined) return own;
    const [spare] = generation.tabs >= size ? generation.idle.splice(0, 1) : [];
    if (spare !== undefined) await discard(generation, spare);
    generation.tabs += 1;
    try {
      return await openTab(owner, generation.chromium, proxy);
    } catch (error) {
      generation.tabs -= 1;
      throw error;
    }
  }

  /** A tab that does not let itself be closed takes its Chromium with it. */
  async function discard(generation: Generation, tab: Tab): Promise<void> {
    generation.tabs -= 1;
    if (await within(closeTabMs, tab.close())) return;
    log("Chromium is ended: a tab of it could not be closed");
    retire(generation);
    generation.chromium.kill();
  }

  async function giveBack(generation: Generation, tab: Tab, isWell: boolean): Promise<void> {
    const isClean = isWell && !generation.isEnding && (await tab.clean());
    if (isClean && !generation.isEnding) generation.idle.push(tab);
    else await discard(generation, tab);
    await endIfIdle(generation);
  }

  async function withPage<Result>(
    { owner, turnOf = owner, grant, deadlineMs, signal }: PageOptions,
    work: (page: BrowserPage) => Promise<Result>,
  ): Promise<Result> {
    const ends = AbortSignal.any([signal, closing.signal]);
    const release = await slots.take(turnOf, ends).catch(() => {
      throw reasonOf(ends);
    });
    const over = new AbortController();
    let generation: Generation;
    let tab: Tab;
    try {
      if (ends.aborted) throw reasonOf(ends);
      generation = await running();
      tab = await takeTab(generation, owner).catch((error: unknown) => {
        throw crash(error);
      });
    } catch (error) {
      release();
      throw error;
    }
    let isWell = false;
    try {
      const { gone } = generation.chromium;
      tab.begin(grant);
      const ended = work({
        page: tab.page,
        cdp: tab.cdp,
        door: tab.door,
        over: over.signal,
        ranNothing: tab.ranNothing,
      });
      // a page that was found wanting is no reason to throw its tab away
      ended.then(
        () => (isWell = true),
        (error: unknown) => (isWell = error instanceof AppError),
      );
      const outcome = await bounded(Promise.race([ended, tab.crashed, gone]), deadlineMs, ends).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if ("value" in outcome) return outcome.value;
      throw outcome.error instanceof TabCrash ? crash(outcome.error) : outcome.error;
    } finally {
      over.abort();
      // an ended page keeps its slot until its tab is empty or gone, so that no more than `size` exist; its caller need not wait
      giveBack(generation, tab, isWell)
        .catch((error: unknown) => log(`A tab could not be given back: ${wordsOf(error)}`))
        .finally(release);
    }
  }

  return {
    withPage,
    async problem() {
      if (current !== null) return current.then(() => null, wordsOf);
      if (launchProblem !== null) return launchProblem;
      if (known !== null && performance.now() - known.at < problemKnownMs) return known.problem;
      const problem = await findChromium(options.chromiumPath).then(() => null, wordsOf);
      known = { at: performance.now(), problem };
      return problem;
    },
    async introduce() {
      const generation = await running();
      if (generation.tabs === 0 && slots.used === 0) retire(generation);
      if (state === null) throw new AppError("browser_unavailable", "The browser ended as it started.");
      return state;
    },
    state: () => state,
    async close() {
      closing.abort();
      const generation = await current?.catch(() => null);
      if (generation != null) {
        retire(generation);
        await within(closeTabMs, generation.chromium.browser.close());
        generation.chromium.kill();
      }
      await (await deadDoor)?.close();
    },
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function crash(cause: unknown): Error {
  if (cause instanceof AppError) return cause;
  return new AppError(
    "browser_crashed",
    "The browser broke down while it showed the page, which may need more memory than a page gets. Try again; if it happens every time, fetch this site without a browser.",
    { cause },
  );
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof AppError ? signal.reason : new AppError("cancelled", "The load was cancelled.");
}

/** @throws AppError timed_out, or the reason of the signal */
async function bounded<Result>(work: Promise<Result>, limitMs: number, signal: AbortSignal): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  let cancel = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new AppError("timed_out", `The page was ended after ${limitMs / 1000} s.`)),
      limitMs,
    );
    cancel = () => reject(reasonOf(signal));
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    work.catch(() => undefined);
  }
}
