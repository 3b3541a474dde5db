import type { CDPSession } from "playwright-core";
import type { BrowserPage } from "./browser-pool.js";
import type { PageTraffic } from "./page-traffic.js";

/** The time without a byte from any site after which a request without an answer is taken to wait for a password. */
const restMs = 3_000;
const lookEveryMs = 250;
const originsMax = 100;

/**
 * The sites that make a whole Chrome ask for a password. It asks in a dialog that nobody sees, reports the answer of 401 only after
 * that, and keeps the page waiting. The dialog can be declined only where the site's requests are paused. Pausing all requests would
 * cost a third of a page's processor time, so a page that waits is loaded once more, with the requests to those sites paused.
 */
export class PasswordAskers {
  /** By origin, the last one met last. */
  readonly #known = new Map<string, "suspected" | "asks" | "slow">();

  /**
   * Waits until the page waits for an answer of a site not yet known, while no site owes any. The site is known then.
   * Never resolves where that does not happen before `over` aborts.
   */
  async met(traffic: PageTraffic, { proxyListener, over }: BrowserPage): Promise<void> {
    while (!over.aborted) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      if (proxyListener.restingMs < restMs) continue;
      const fresh = traffic.unanswered().filter((origin) => !this.#known.has(origin));
      for (const origin of fresh) this.#know(origin, "suspected");
      if (fresh.length > 0) return;
    }
    return new Promise(() => undefined);
  }

  /**
   * Declines the dialogs of the known sites while a page is loaded.
   * @param except the origin whose requests are paused already
   * @returns a function that stops it; a suspected site that did not ask is not paused again
   */
  async decline({ page }: BrowserPage, except: string | undefined): Promise<() => Promise<void>> {
    const origins = [...this.#known].flatMap(([origin, what]) =>
      what !== "slow" && origin !== except ? [origin] : [],
    );
    if (origins.length === 0) return async () => undefined;
    // apart from the tab's other sessions, which pause other requests
    const session = await page.context().newCDPSession(page);
    const paused = new Set<string>();
    session.on("Fetch.requestPaused", ({ requestId, request }) => {
      paused.add(new URL(request.url).origin);
      session.send("Fetch.continueRequest", { requestId }).catch(() => undefined); // the request may have been cancelled
    });
    await pauseDeclining(session, origins, (origin) => this.#know(origin, "asks"));
    return async () => {
      for (const origin of paused) if (this.#known.get(origin) === "suspected") this.#know(origin, "slow");
      await session.detach().catch(() => undefined); // the tab may be gone
    };
  }

  #know(origin: string, what: "suspected" | "asks" | "slow"): void {
    this.#known.delete(origin);
    this.#known.set(origin, what);
    const [oldest] = this.#known.keys();
    if (this.#known.size > originsMax && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Declines every dialog of a tab: each of its requests is paused. @returns a function that stops it */
export async function declineAll({ page }: BrowserPage): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  session.on("Fetch.requestPaused", ({ requestId }) => {
    session.send("Fetch.continueRequest", { requestId }).catch(() => undefined); // the request may have been cancelled
  });
  await pauseDeclining(session, ["*:/"]);
  return () => session.detach().catch(() => undefined); // the tab may be gone
}

/** Pauses the requests to some origins, and declines to give a password to a site that asks for one. @param onAsked called with its origin */
export async function pauseDeclining(
  cdp: CDPSession,
  origins: readonly string[],
  onAsked: (origin: string) => void = () => undefined,
): Promise<() => Promise<void>> {
  const decline = ({ requestId, authChallenge }: { requestId: string; authChallenge: Challenge }) => {
    const isSite = authChallenge.source !== "Proxy";
    if (isSite) onAsked(authChallenge.origin);
    cdp
      .send("Fetch.continueWithAuth", {
        requestId,
        authChallengeResponse: { response: isSite ? "CancelAuth" : "Default" },
      })
      .catch(() => undefined); // the request may have been cancelled
  };
  cdp.on("Fetch.authRequired", decline);
  await cdp.send("Fetch.enable", {
    handleAuthRequests: true,
    patterns: origins.map((origin) => ({ urlPattern: `${origin}/*` })),
  });
  return async () => {
    await cdp.send("Fetch.disable").catch(() => undefined); // the tab may be gone
    cdp.off("Fetch.authRequired", decline);
  };
}

interface Challenge {
  source?: "Server" | "Proxy";
  origin: string;
}
