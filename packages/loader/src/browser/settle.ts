import type { CDPSession, Page } from "playwright-core";
import type { PageTraffic } from "./page-traffic.js";
import { documentRests, readDocument, type RenderedDocument } from "./read-document.js";
import { scrollThrough } from "./scroll-through.js";

/** No request under way for so long … */
const networkRestMs = 500;
/** … and no change of the document for so long. */
const documentRestMs = 300;
/** How long a page may work after it has loaded. */
const settleMs = 10_000;
/** How long loading all that it names may take; what is late is left out. */
const loadMs = 30_000;

export interface Settled {
  document: RenderedDocument;
  /** False where the budget ended first. */
  isAtRest: boolean;
}

/**
 * Waits until the page is loaded, the network silent and the document at rest, inside budgets, and reads the document.
 * A page in which nothing ever ran and nothing can run is at rest once it has loaded; another one that is taller than the
 * window is scrolled through once it rests, and has to come to rest again. Navigations of the page's own are followed.
 * @throws where the page cannot be read to the end of the budgets, because it navigates all the time
 */
export async function settle(
  page: Page,
  cdp: CDPSession,
  traffic: PageTraffic,
  maxChars: number,
  signal: AbortSignal,
): Promise<Settled> {
  await loaded(page, loadMs);
  const end = performance.now() + settleMs;
  const budget = AbortSignal.any([signal, AbortSignal.timeout(settleMs)]);
  let failures = 0;
  let scrolled = -1;
  for (;;) {
    try {
      const shown = traffic.documents.length;
      const first = await readDocument(cdp, maxChars);
      if (!first.isLive && traffic.isQuiet()) return { document: first, isAtRest: true };
      await traffic.quiet(networkRestMs, budget);
      const isAtRest = await documentRests(cdp, documentRestMs, end - performance.now());
      if (first.isTall && scrolled !== shown && isAtRest && traffic.isQuiet()) {
        scrolled = shown;
        await scrollThrough(cdp, traffic, budget);
        continue;
      }
      const isOver = performance.now() >= end;
      if (!isOver && !(isAtRest && traffic.isQuiet() && shown === traffic.documents.length)) continue;
      return { document: await readDocument(cdp, maxChars), isAtRest: isAtRest && traffic.isQuiet() };
    } catch (error) {
      // the document was replaced while it was asked
      if (signal.aborted || performance.now() >= end + settleMs || ++failures > 200) throw error;
      if (performance.now() >= end) await cdp.send("Page.stopLoading").catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function loaded(page: Page, limitMs: number): Promise<void> {
  await page.waitForLoadState("load", { timeout: limitMs }).catch(() => undefined); // what is late is left out
}
