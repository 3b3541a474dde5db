import { AppError } from "@web-tester/contracts/errors";
import type { CDPSession } from "playwright-core";
import { nameUrl } from "../name-url.js";
import type { ReadyRule } from "../page-result.js";
import { isLeaving, requireAdvancing, stillOnTheWay } from "./follow-navigations.js";
import type { PageTraffic } from "./page-traffic.js";
import {
  documentDrawn,
  documentRests,
  hasElement,
  readDocument,
  readWithClosed,
  type RenderedDocument,
} from "./read-document.js";
import { scrollThrough } from "./scroll-through.js";
import { timersDueMs } from "./watch-document.js";

/** The time without a request under way after which the network counts as silent … */
const networkRestMs = 500;
/** … and the time without a change that matters after which the document counts as at rest. */
const documentRestMs = 500;
/** How long a page may work after it has loaded. */
const settleMs = 10_000;
/** How long loading all that the page refers to may take; what is late is left out. */
const loadMs = 30_000;
/** The time without anything coming in after which an unfinished document is no longer waited for. */
const standsStillMs = 1_500;
/** How long loading fonts and decoding pictures may take. */
const drawnMs = 3_000;
const lookEveryMs = 100;

export interface Settled {
  document: RenderedDocument;
  /** What was still changing when the time was over, in words; null where the page came to rest. */
  moving: string | null;
  /** Whether nothing ran in it, and nothing can, as far as the document shows. */
  isInert: boolean;
}

/** The page to settle, and the rule and limits for it. */
export interface Settling {
  cdp: CDPSession;
  traffic: PageTraffic;
  ready: ReadyRule;
  maxChars: number;
  signal: AbortSignal;
}

/**
 * Waits until the page is ready, within budgets, and reads the document. Unless the rule says otherwise, a page is ready
 * when it has loaded, its short timers are over, the network is silent and the document at rest. A page in which nothing
 * ever ran and nothing can run is at rest once it has loaded; any other that is taller than the window is scrolled through
 * once it rests, and has to come to rest again. Navigations by the page itself are followed.
 * @throws AppError reload_loop and navigation_failed where the page keeps navigating, not_ready where what the rule waits
 * for never appears
 */
export async function settle(settling: Settling): Promise<Settled> {
  const { traffic, ready, signal } = settling;
  await loaded(traffic, loadMs, signal);
  const budgetMs = ready.kind === "time" ? ready.ms + settleMs : settleMs;
  const over = new AbortController();
  try {
    return await Promise.race([
      settleBy(performance.now() + budgetMs, budgetMs, settling),
      stuckOnTheWay(traffic, performance.now() + budgetMs, over.signal),
    ]);
  } finally {
    over.abort();
  }
}

async function settleBy(end: number, budgetMs: number, settling: Settling): Promise<Settled> {
  const { cdp, traffic, ready, maxChars, signal } = settling;
  const budget = AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]);
  let failures = 0;
  let scrolled = -1;
  for (;;) {
    requireAdvancing(traffic);
    try {
      const shown = traffic.shown.length;
      const first = await readDocument(cdp, maxChars);
      if (!first.isLive && traffic.isQuiet() && ready.kind === "quiet")
        return { document: first, moving: null, isInert: true };
      await waitFor(settling, end, budget);
      const moving = await documentRests(cdp, documentRestMs, end - performance.now());
      const isAtRest = moving === null && traffic.isQuiet();
      const mayScroll = scrolled !== shown && isAtRest && performance.now() < end;
      if (mayScroll && first.isTall) {
        scrolled = shown;
        await scrollThrough(cdp, traffic, budget);
        continue;
      }
      const isOver = performance.now() >= end;
      const isStaying = shown === traffic.shown.length && !isLeaving(traffic);
      if (!isOver && !(isAtRest && isStaying && first.refreshesTo === null)) continue;
      await documentDrawn(cdp, drawnMs);
      const open = await readDocument(cdp, maxChars);
      // content that makes a page tall may come only after it has loaded
      if (mayScroll && open.isTall) {
        scrolled = shown;
        await scrollThrough(cdp, traffic, budget);
        continue;
      }
      const document = open.mayHide ? await readWithClosed(cdp, maxChars, open) : open;
      // loading fonts and pictures may have run handlers of the page
      if (!isOver && shown !== traffic.shown.length) continue;
      return { document, moving: isAtRest ? null : wordsOf(moving, traffic), isInert: false };
    } catch (error) {
      if (error instanceof AppError) throw error;
      // the document was replaced during the question
      if (signal.aborted || performance.now() >= end + settleMs || ++failures > 200) throw error;
      if (performance.now() >= end) await cdp.send("Page.stopLoading").catch(() => undefined);
      await pause(50);
    }
  }
}

/**
 * Rejects when the page is still navigating at the end of its time: until the next page arrives, Chromium answers no
 * question about it. @throws AppError navigation_failed
 */
async function stuckOnTheWay(traffic: PageTraffic, end: number, over: AbortSignal): Promise<never> {
  while (performance.now() < end || !isLeaving(traffic)) {
    await pause(lookEveryMs);
    if (over.aborted) return new Promise(() => undefined);
  }
  throw stillOnTheWay(traffic);
}

async function waitFor({ cdp, traffic, ready }: Settling, end: number, budget: AbortSignal): Promise<void> {
  switch (ready.kind) {
    case "time":
      await pause(Math.max(0, end - settleMs - performance.now()));
      return;
    case "selector":
      while (!(await hasElement(cdp, ready.selector))) {
        if (performance.now() >= end)
          throw new AppError(
            "not_ready",
            `The element to wait for never appeared: nothing on the page matched “${ready.selector}”. Check the selector under Options, or wait for something else.`,
          );
        await pause(lookEveryMs);
        requireAdvancing(traffic);
      }
      break;
    case "quiet":
      await timersOver(cdp, traffic, end);
  }
  await traffic.quiet(networkRestMs, budget);
}

/** Waits for the page's timers, those included that are set when one fires, as long as there is time. */
async function timersOver(cdp: CDPSession, traffic: PageTraffic, end: number): Promise<void> {
  for (;;) {
    const dueMs = await timersDueMs(cdp);
    if (dueMs === 0 || performance.now() >= end) return;
    await pause(Math.min(dueMs + 20, Math.max(0, end - performance.now()), lookEveryMs * 5));
    requireAdvancing(traffic);
  }
}

function wordsOf(moving: string | null, traffic: PageTraffic): string {
  const [address] = traffic.underWay();
  const url = address === undefined ? null : URL.parse(address);
  const requests = traffic.isQuiet() ? [] : [`it was still loading ${url === null ? "something" : nameUrl(url)}`];
  return (
    [...(moving === null ? [] : [`${moving} was still changing`]), ...requests].join(" and ") || "it was still busy"
  );
}

/** Waits until the page has loaded, within the limit; what is late is left out. */
async function loaded(traffic: PageTraffic, limitMs: number, signal: AbortSignal): Promise<void> {
  const end = performance.now() + limitMs;
  while (!traffic.isLoaded() && traffic.stoodStillMs() < standsStillMs && performance.now() < end && !signal.aborted) {
    requireAdvancing(traffic);
    await pause(20);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
