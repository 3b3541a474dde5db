import type { Page, Request, Response } from "playwright-core";

/** Never end, or end when they like: the page does not wait for them. */
const endless = new Set(["websocket", "eventsource", "ping", "cspviolationreport", "webtransport"]);

/** What a page has under way, and the documents its main frame showed. */
export interface PageTraffic {
  /** Requests of the main frame for documents, in order; redirects hang together by `redirectedFrom`. */
  readonly documents: Request[];
  /** Resolves when nothing has been under way for so long; never rejects. */
  quiet(forMs: number, signal: AbortSignal): Promise<void>;
  isQuiet(): boolean;
  stop(): void;
}

/** Told of each request for something beside the page itself, once it ended. */
export type EndedRequest = (request: Request, response: Response | null) => void;

export function watchTraffic(page: Page, ended: EndedRequest | null): PageTraffic {
  const documents: Request[] = [];
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
  page.on("request", begun);
  page.on("requestfinished", over);
  page.on("requestfailed", over);

  return {
    documents,
    isQuiet: () => underWay.size === 0,
    async quiet(forMs, signal) {
      while (!signal.aborted) {
        const restedMs = underWay.size === 0 ? performance.now() - changedAt : 0;
        if (underWay.size === 0 && restedMs >= forMs) return;
        await new Promise((resolve) => setTimeout(resolve, underWay.size === 0 ? forMs - restedMs + 1 : 50));
      }
    },
    stop() {
      page.off("request", begun);
      page.off("requestfinished", over);
      page.off("requestfailed", over);
    },
  };
}
