import type { CDPSession, Page, Request, Response } from "playwright-core";

/** Never end, or end when they like: the page does not wait for them. */
const endless = new Set(["websocket", "eventsource", "ping", "cspviolationreport", "webtransport"]);

/** A document that took the place of another one in the main frame. */
interface ShownDocument {
  /** Without its fragment. */
  url: string;
  /** What could not be loaded, where this is the browser's own page about that. */
  unreachableUrl: string | null;
}

/** What a page has under way, and the documents its main frame showed. */
export interface PageTraffic {
  /** Requests of the main frame for documents, in order; redirects hang together by `redirectedFrom`. */
  readonly documents: Request[];
  /** What the main frame really showed of these, in order. */
  readonly shown: ShownDocument[];
  /** Whether the document that is shown has loaded with all that it names. */
  isLoaded(): boolean;
  /** For how many milliseconds nothing came in for that document: Chromium never says that one is loaded which was about to lead on. */
  stoodStillMs(): number;
  /** Addresses of what is under way, the latest last. */
  underWay(): string[];
  /** Resolves when nothing has been under way for so long; never rejects. */
  quiet(forMs: number, signal: AbortSignal): Promise<void>;
  isQuiet(): boolean;
  stop(): void;
}

interface FrameNavigated {
  frame: { parentId?: string; url: string; unreachableUrl?: string };
}

/** Told of each request for something beside the page itself, once it ended. */
export type EndedRequest = (request: Request, response: Response | null) => void;

export function watchTraffic(page: Page, cdp: CDPSession, ended: EndedRequest | null): PageTraffic {
  const documents: Request[] = [];
  const shown: ShownDocument[] = [];
  let hasLoaded = false;
  const underWay = new Set<Request>();
  let changedAt = performance.now();

  const begun = (request: Request) => {
    changedAt = performance.now();
    if (isDocument(request)) documents.push(request);
    if (!endless.has(request.resourceType())) underWay.add(request);
  };
  const over = (request: Request) => {
    changedAt = performance.now();
    underWay.delete(request);
    if (ended === null || isDocument(request) || request.redirectedTo() !== null) return;
    ended(request, request.existingResponse());
  };
  // the first document of a tab may come before its frame is known: it is one all the same
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
    shown.push({ url: frame.url, unreachableUrl: frame.unreachableUrl ?? null });
    hasLoaded = false;
  };
  const loaded = () => (hasLoaded = true);
  cdp.on("Page.loadEventFired", loaded);
  cdp.on("Page.frameNavigated", navigated);
  // one that made way for the next is not said to have ended, and that one may never be answered
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
      page.off("request", begun);
      page.off("requestfinished", over);
      page.off("requestfailed", over);
    },
  };
}
