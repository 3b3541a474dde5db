import type { CDPSession } from "playwright-core";
import type { PageTraffic } from "./page-traffic.js";
import { scrollDocument } from "./read-document.js";

/** The most window heights that are scrolled: a page that grows without end is kept up to there. */
const stepsMax = 20;
/** The most time that the requests of one step may take before the next step … */
const stepMs = 1_500;
/** … and the time without a request after which they count as over. */
const restMs = 50;

/**
 * Scrolls through a page window by window and back to its top, so that what scripts load only when it comes into view is
 * there. Where no step makes the page request anything, it costs two frames per step.
 */
export async function scrollThrough(cdp: CDPSession, traffic: PageTraffic, budget: AbortSignal): Promise<void> {
  for (let step = 1; step <= stepsMax && !budget.aborted; step += 1) {
    const isEnd = await scrollDocument(cdp, step);
    if (!traffic.isQuiet()) await traffic.quiet(restMs, AbortSignal.any([budget, AbortSignal.timeout(stepMs)]));
    else if (isEnd) break;
  }
  await scrollDocument(cdp, 0);
}
