import type { CDPSession, Page, Request, Response } from "playwright-core";
import { emptyPath } from "./empty-page.js";

/** Kinds of requests that never end, or end at any time: the page does not wait for them. */
const endless = new Set(["websocket", "eventsource", "ping", "cspviolationreport", "webtransport"]);

/** A document that replaced another one in the main frame. */
interface ShownDocument {
  /** Without its fragment. */
  url: string;
  /** The address that could not be loaded, where this is the browser's own error page for it. */
  unreachableUrl: string | null;
}

/** The requests of a page that are under way, and the documents that its main frame showed. */
export interface PageTraffic {
  /** Requests of the main frame for documents, in order; redirects are linked by `redirectedFrom`. */
  readonly documents: Request[];
  /** The documents that the main frame really showed, in order. */
  readonly shown: ShownDocument[];
  /** Whether the document that is shown has loaded with all that it refers to. */
  isLoaded(): boolean;
  /**
   * The milliseconds since anything came in for that document: Chromium never reports the load of one that was about to
   * navigate on.
   */
  stoodStillMs(): number;
  /** The addresses of requests under way, the latest last. */
  underWay(): string[];
  /** The origins of requests under way, other than for the page itself, of which no answer has been seen. */
  unanswered(): string[];
  /** Resolves when no request has been under way for `forMs`, or the signal aborts; never rejects. */
  quiet(forMs: number, signal: AbortSignal): Promise<void>;
  isQuiet(): boolean;
  stop(): void;
}

interface FrameNavigated {
  frame: { id: string; parentId?: string; url: string; unreachableUrl?: string };
}

/** Called with each request for something other than the page itself, once it ended. */
export type EndedRequest = (request: Request, response: Response | null) => void;

export function watchTraffic(page: Page, cdp: CDPSession, ended: EndedRequest | null): PageTraffic {
  const documents: Request[] = [];
  const shown: ShownDocument[] = [];
  let hasLoaded = false;
  let mainFrameId: string | null = null;
  const underWay = new Set<Request>();
  let changedAt = performance.now();

  const begun = (request: Request) => {
    // a script wanted to go back to where the tab was before the page
    if (request.url().endsWith(emptyPath)) return;
    changedAt = performance.now();
    if (isDocument(request)) documents.push(request);
    if (!endless.has(request.resourceType())) underWay.add(request);
  };
  const over = (request: Request) => {
    if (request.url().endsWith(emptyPath)) return;
    changedAt = performance.now();
    underWay.delete(request);
    if (ended === null || isDocument(request) || request.redirectedTo() !== null) return;
    ended(request, request.existingResponse());
  };
  // the first document of a tab may be requested before its frame is known
  const isDocument = (request: Request) => {
    if (!request.isNavigationRequest()) return false;
    try {
      return request.frame() === page.mainFrame();
    } catch {
      return true;
    }
  };
  const navigated = ({ frame }: FrameNavigated) => {
    if (frame.parentId !== undefined) return;
    mainFrameId = frame.id;
    shown.push({ url: frame.url, unreachableUrl: frame.unreachableUrl ?? null });
    hasLoaded = false;
  };
  const loaded = () => (hasLoaded = true);
  /** A page that stops its own load (`window.stop()`) has all that it will get, and its document is never reported as ended. */
  const stopped = ({ frameId }: { frameId: string }) => {
    if (frameId !== mainFrameId) return;
    loaded();
    for (const request of underWay)
      if (isDocument(request) && request.existingResponse() !== null) underWay.delete(request);
  };
  cdp.on("Page.loadEventFired", loaded);
  cdp.on("Page.frameStoppedLoading", stopped);
  cdp.on("Page.frameNavigated", navigated);
  // a document request that was replaced by the next is never reported as ended, and the next may never be answered
  const isOnTheWay = (request: Request) =>
    isDocument(request) && (request !== documents.at(-1) || request.existingResponse() === null);
  page.on("request", begun);
  page.on("requestfinished", over);
  page.on("requestfailed", over);

  return {
    documents,
    shown,
    isLoaded: () => hasLoaded,
    stoodStillMs: () => ([...underWay].every(isOnTheWay) ? performance.now() - changedAt : 0),
    underWay: () => [...underWay].map((request) => request.url()),
    unanswered: () => [
      ...new Set(
        [...underWay].flatMap((request) => {
          const { protocol, origin } = new URL(request.url());
          return isDocument(request) || request.existingResponse() !== null || !/^https?:$/.test(protocol)
            ? []
            : [origin];
        }),
      ),
    ],
    isQuiet: () => underWay.size === 0,
    async quiet(forMs, signal) {
      while (!signal.aborted) {
        const restedMs = underWay.size === 0 ? performance.now() - changedAt : 0;
        if (underWay.size === 0 && restedMs >= forMs) return;
        await new Promise((resolve) => setTimeout(resolve, underWay.size === 0 ? forMs - restedMs + 1 : 50));
      }
    },
    stop() {
      cdp.off("Page.frameNavigated", navigated);
      cdp.off("Page.loadEventFired", loaded);
      cdp.off("Page.frameStoppedLoading", stopped);
      page.off("request", begun);
      page.off("requestfinished", over);
      page.off("requestfailed", over);
    },
  };
}
