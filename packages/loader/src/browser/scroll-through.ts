import type { CDPSession } from "playwright-core";
import type { PageTraffic } from "./page-traffic.js";
import { scrollDocument } from "./read-document.js";

/** Windows scrolled through at most: a page that grows for ever is kept as far as that. */
const stepsMax = 20;
/** What a step made the page ask for may take so long before the next one … */
const stepMs = 1_500;
/** … and is taken as over after so long without a request. */
const restMs = 50;

/**
 * Scrolls through a page window by window and back to its top, so that what scripts load only once it is about to be seen is
 * there. Where no step makes the page ask for anything, it costs two frames per step.
 */
export async function scrollThrough(cdp: CDPSession, traffic: PageTraffic, budget: AbortSignal): Promise<void> {
  for (let step = 1; step <= stepsMax && !budget.aborted; step += 1) {
    const isEnd = await scrollDocument(cdp, step);
    if (!traffic.isQuiet()) await traffic.quiet(restMs, AbortSignal.any([budget, AbortSignal.timeout(stepMs)]));
    else if (isEnd) break;
  }
  await scrollDocument(cdp, 0);
}
