import { availableParallelism } from "node:os";
import { AppError } from "@web-tester/contracts/errors";
import type { CDPSession, Page } from "playwright-core";
import type { FilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import type { ProxyListener, ProxyGrant } from "@web-tester/platform/egress/proxy-listener";
import { createFairSlots, type FairSlots } from "@web-tester/platform/lifecycle/fair-slots";
import { Chromium } from "./chromium.js";
import { type ChromiumProcess, launchChromium, type SandboxSetting } from "./chromium-process.js";
import { type BrowserState, stateOf, warningsOf } from "./chromium-state.js";
import { findChromium } from "./find-chromium.js";
import { type Tab, TabCrash } from "./tab.js";
import { usualVisitor, type Visitor, visitorKey } from "./visitor.js";

export interface BrowserPoolOptions {
  /** Value of CHROMIUM_PATH. */
  chromiumPath: string | undefined;
  /** Value of CHROMIUM_SANDBOX; default preferred. */
  sandbox?: SandboxSetting;
  proxy: FilteringProxy;
  /** The product's name for sites, appended to the browser's own User-Agent. */
  userAgent: string;
  /**
   * The most tabs of one object at work; default: one more than there are processors, as pages mostly wait, 4 at most. One
   * further tab is there for objects that have none.
   */
  tabs?: number;
  /** The resident bytes of one Chromium process above which it is killed, with the tab that it draws; default 1.25 GiB. */
  processMaxBytes?: number;
  /**
   * The resident bytes of all its processes together, shared memory counted once, above which Chromium is restarted once
   * its pages are done; default 1.5 GiB.
   */
  totalMaxBytes?: number;
  /** Milliseconds without a page after which Chromium ends; the next page starts it again. Default: a minute. */
  idleMs?: number;
  log(message: string): void;
}

interface PageOptions {
  /** The owner of the page: an emptied tab is reused for the same owner only. */
  owner: string;
  /** The test object whose turn it is, where that is not the owner: objects take turns. */
  turnOf?: string;
  /** The visitor that the page is shown to; default: the usual visitor. */
  visitor?: Visitor;
  grant: ProxyGrant;
  /** Time for the page once it has a tab; then the page is ended, whatever it does. */
  deadlineMs: number;
  /** Ends the page, also while it waits for a tab; where its reason is an AppError, the caller gets that. */
  signal: AbortSignal;
}

/** An empty tab for one page. */
export interface BrowserPage {
  page: Page;
  /** A DevTools session with the page. */
  cdp: CDPSession;
  proxyListener: ProxyListener;
  /** Whether its browser asks for passwords, in a dialog that nobody sees. */
  asksForPasswords: boolean;
  /** Aborted when the page's time is over, however it ended. */
  over: AbortSignal;
  /** To be called before the page is navigated to: it then finds nothing in the tab's history to go back to. */
  forget(url: URL): Promise<void>;
  /**
   * To be called for a page in which nothing ran and nothing can run: its tab is emptied without navigating away, at an
   * eighth of the cost.
   */
  ranNothing(): void;
}

/** One Chromium, started when it is first needed, and its tabs. */
export interface BrowserPool {
  /**
   * Runs `work` in an empty tab, without any cookie, storage, cache, permission or connection of another page. Objects
   * take turns: one never has every tab, and one that has none is next, so that it waits at most for one page of others to
   * end.
   * @throws AppError browser_unavailable, browser_crashed (a retry can help), timed_out, cancelled, and what `work` throws
   */
  withPage<Result>(options: PageOptions, work: (page: BrowserPage) => Promise<Result>): Promise<Result>;
  /** Returns a sentence on why there is no browser; null where there is one. Starts nothing. */
  problem(): Promise<string | null>;
  /**
   * Starts Chromium, unless it runs, to learn its state, and ends it where nobody needs it by then. @throws AppError
   * browser_unavailable
   */
  introduce(): Promise<BrowserState>;
  /** The state as of its last start; null before the first one. */
  state(): BrowserState | null;
  /** Ends Chromium and every page in it. */
  close(): Promise<void>;
}

/** How long the answer of `problem` is remembered; after that, a browser installed meanwhile is found without a restart. */
const problemKnownMs = 15_000;
const defaults = { processMaxBytes: 1.25 * 1024 ** 3, totalMaxBytes: 1.5 * 1024 ** 3, idleMs: 60_000 };

export function createBrowserPool(options: BrowserPoolOptions): BrowserPool {
  return new TabPool(options);
}

/** A pool of tabs over successive Chromium processes. */
class TabPool implements BrowserPool {
  readonly #tabsMax: number;
  readonly #slots: FairSlots;
  readonly #closing = new AbortController();
  #current: Promise<Chromium> | null = null;
  #closedListener: Promise<ProxyListener> | null = null;
  #launchProblem: string | null = null;
  #state: BrowserState | null = null;
  #known: { at: number; problem: string | null } | null = null;

  constructor(private readonly options: BrowserPoolOptions) {
    const ofOneObject = options.tabs ?? Math.min(4, availableParallelism() + 1);
    this.#tabsMax = ofOneObject + 1;
    this.#slots = createFairSlots(this.#tabsMax, ofOneObject);
  }

  async withPage<Result>(options: PageOptions, work: (page: BrowserPage) => Promise<Result>): Promise<Result> {
    const { owner, turnOf = owner, visitor = usualVisitor, signal } = options;
    const ends = AbortSignal.any([signal, this.#closing.signal]);
    const release = await this.#slots.take(turnOf, ends).catch(() => {
      throw reasonOf(ends);
    });
    let chromium: Chromium;
    let tab: Tab;
    try {
      if (ends.aborted) throw reasonOf(ends);
      chromium = await this.#running();
      tab = await chromium.takeTab(`${owner} ${visitorKey(visitor)}`, visitor).catch((error: unknown) => {
        throw crash(error);
      });
    } catch (error) {
      release();
      throw error;
    }
    // an ended page keeps its slot until its tab is empty or gone, so that there are never more tabs; its caller need not
    // wait for that
    return workIn(tab, chromium.running, { ...options, signal: ends }, work, (isWell) => {
      chromium
        .giveBack(tab, isWell)
        .catch((error: unknown) => this.options.log(`A tab could not be given back: ${wordsOf(error)}`))
        .finally(release);
    });
  }

  async problem(): Promise<string | null> {
    if (this.#current !== null) return this.#current.then(() => null, wordsOf);
    if (this.#launchProblem !== null) return this.#launchProblem;
    if (this.#known !== null && performance.now() - this.#known.at < problemKnownMs) return this.#known.problem;
    const problem = await findChromium(this.options.chromiumPath).then(() => null, wordsOf);
    this.#known = { at: performance.now(), problem };
    return problem;
  }

  async introduce(): Promise<BrowserState> {
    const chromium = await this.#running();
    if (chromium.isUnused && this.#slots.used === 0) chromium.retire();
    if (this.#state === null) throw new AppError("browser_unavailable", "The browser ended as it started.");
    return this.#state;
  }

  state(): BrowserState | null {
    return this.#state;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const chromium = await this.#current?.catch(() => null);
    await chromium?.end();
    await (await this.#closedListener)?.close();
  }

  #running(): Promise<Chromium> {
    if (this.#current !== null) return this.#current;
    const starting = this.#launch(() => {
      if (this.#current === starting) this.#current = null;
    });
    this.#current = starting;
    starting.then(
      () => (this.#launchProblem = null),
      (error: unknown) => {
        this.#launchProblem = wordsOf(error);
        if (this.#current === starting) this.#current = null;
      },
    );
    return starting;
  }

  async #launch(onEnding: () => void): Promise<Chromium> {
    const { chromiumPath, proxy, userAgent, sandbox, log } = this.options;
    const program = await findChromium(chromiumPath);
    this.#closedListener ??= proxy.openListener();
    const launched = await launchChromium(program, (await this.#closedListener).port, userAgent, sandbox);
    const state = stateOf(launched);
    // logged again only where it has changed
    if (this.#state?.words !== state.words) for (const warning of warningsOf(state)) log(warning);
    this.#state = state;
    if (this.#closing.signal.aborted) launched.kill();
    const {
      processMaxBytes = defaults.processMaxBytes,
      totalMaxBytes = defaults.totalMaxBytes,
      idleMs = defaults.idleMs,
    } = this.options;
    const limits = { tabsMax: this.#tabsMax, processMaxBytes, totalMaxBytes, idleMs };
    return new Chromium(launched, { ...limits, proxy, log, onEnding });
  }
}

/**
 * Runs `work` in a tab within the time of its page.
 * @param after called with whether the tab may be used again
 */
async function workIn<Result>(
  tab: Tab,
  { gone, asksForPasswords }: ChromiumProcess,
  { grant, deadlineMs, signal }: PageOptions,
  work: (page: BrowserPage) => Promise<Result>,
  after: (isWell: boolean) => void,
): Promise<Result> {
  const over = new AbortController();
  const { page, cdp, proxyListener, forget, ranNothing } = tab;
  let isWell = false;
  try {
    tab.begin(grant);
    const ended = work({ page, cdp, proxyListener, asksForPasswords, over: over.signal, forget, ranNothing });
    // an AppError is the fault of the page: its tab need not be thrown away
    ended.then(
      () => (isWell = true),
      (error: unknown) => (isWell = error instanceof AppError),
    );
    const outcome = await bounded(Promise.race([ended, tab.crashed, gone]), deadlineMs, signal).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if ("value" in outcome) return outcome.value;
    throw outcome.error instanceof TabCrash ? crash(outcome.error) : outcome.error;
  } finally {
    over.abort();
    after(isWell);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function crash(cause: unknown): Error {
  if (cause instanceof AppError) return cause;
  return new AppError(
    "browser_crashed",
    "The browser crashed while showing the page, which may need more memory than a page gets. Try again; if it happens every time, fetch this site without a browser.",
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
