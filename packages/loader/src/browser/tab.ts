import type { BrowserContext, CDPSession, Page } from "playwright-core";
import type { FilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import { greetingHost, type ProxyListener, type ProxyGrant } from "@web-tester/platform/egress/proxy-listener";
import { type ChromiumProcess, proxyHost } from "./chromium-process.js";
import { addEmptyPage, type EmptyPage, emptyPageOf } from "./empty-page.js";
import { clearSession, emptyDocument } from "./read-document.js";
import { contextOf, drawTiny, type Visitor } from "./visitor.js";
import { watchDocuments } from "./watch-document.js";

/** The number of pages after which a tab is discarded, so that what its renderer accumulates goes with it. */
const loadsMax = 100;
const cleanMs = 5_000;

/**
 * One tab in its own browser context, with its own proxy listener. It serves pages of one owner only, one after the other, and
 * is emptied in between, which costs a third of a fresh tab (measured: 1.2 pages per CPU second with a fresh context per
 * page, 3.5 emptied, 4.0 not emptied). Where a page did anything that reaches beyond its own origin, the tab is not used
 * again.
 */
export interface Tab {
  readonly owner: string;
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly proxyListener: ProxyListener;
  /** Opens the proxy listener for the next page. */
  begin(grant: ProxyGrant): void;
  /** Lets the tab's history hold nothing that the page at this address could go back to. To be called before it is navigated to. */
  forget(url: URL): Promise<void>;
  /** To be called where nothing ran in the open page and nothing can run. */
  ranNothing(): void;
  /** Rejects when the tab or its browser crashes. */
  readonly crashed: Promise<never>;
  /** Removes everything that the page left. @returns false where the tab must not be used again */
  clean(): Promise<boolean>;
  /** Shuts the proxy listener and closes the tab, in whatever state it is. Never rejects. */
  close(): Promise<void>;
}

export class TabCrash extends Error {}

/** @param owner whose pages it serves @param visitor the visitor that it shows them to */
export async function openTab(
  owner: string,
  visitor: Visitor,
  chromium: ChromiumProcess,
  proxy: FilteringProxy,
): Promise<Tab> {
  const proxyListener = await proxy.openListener();
  let context: BrowserContext;
  try {
    const opening = chromium.browser.newContext({
      ...contextOf(visitor, chromium.userAgent),
      proxy: { server: `http://${proxyHost}:${proxyListener.port}` },
    });
    context = await Promise.race([opening, chromium.gone]);
  } catch (error) {
    await proxyListener.close();
    throw error;
  }
  context.setDefaultTimeout(0);
  const close = async () => {
    await Promise.all([proxyListener.close(), context.close().catch(() => undefined)]);
  };
  try {
    const page = await Promise.race([context.newPage(), chromium.gone]);
    await Promise.race([tellPassword(context, page, proxyListener), chromium.gone]);
    const cdp = await Promise.race([context.newCDPSession(page), chromium.gone]);
    const emptyPage = await Promise.race([addEmptyPage(context, page), chromium.gone]);
    await Promise.race([watchDocuments(cdp), chromium.gone]);
    await Promise.race([drawTiny(cdp, visitor), chromium.gone]);
    return watchTab({ owner, page, cdp, emptyPage, proxyListener, context, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Tells the tab the password of its proxy listener, once: Chromium remembers it for the tab's context, and pausing every request to
 * be asked again would cost time. With Playwright's own option, a site that answers 401 would get it too.
 */
async function tellPassword(context: BrowserContext, page: Page, proxyListener: ProxyListener): Promise<void> {
  const session = await context.newCDPSession(page);
  session.on("Fetch.authRequired", ({ requestId, authChallenge }) => {
    const authChallengeResponse =
      authChallenge.source === "Proxy"
        ? { response: "ProvideCredentials" as const, ...proxyListener.credentials }
        : { response: "Default" as const };
    void session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => undefined); // the tab is gone
  });
  session.on("Fetch.requestPaused", ({ requestId }) => {
    void session.send("Fetch.continueRequest", { requestId }).catch(() => undefined);
  });
  await session.send("Fetch.enable", { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `fetch("http://${greetingHost}/", { mode: "no-cors", cache: "no-store" }).then(() => true, () => false)`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (result.value !== true) throw new Error("The tab did not get through its own proxy listener.");
}

interface TabParts {
  owner: string;
  page: Page;
  cdp: CDPSession;
  emptyPage: EmptyPage;
  proxyListener: ProxyListener;
  context: BrowserContext;
  close(): Promise<void>;
}

function watchTab({ owner, page, cdp, emptyPage, proxyListener, context, close }: TabParts): Tab {
  let loads = 0;
  let origin: string | null = null;
  let isSpoiled = false;
  let isInert = false;
  /** The address that the tab was sent to when its last page was left. */
  let blank = "about:blank";
  const origins = new Set<string>();
  const spoil = () => (isSpoiled = true);

  const crashed = new Promise<never>((_resolve, reject) => {
    page.once("crash", () => reject(new TabCrash("The tab crashed.")));
    page.once("close", () => reject(new TabCrash("The tab was closed.")));
  });
  crashed.catch(spoil);
  context.on("page", (popup) => {
    if (popup === page) return;
    spoil();
    void popup.close().catch(() => undefined);
  });
  context.on("serviceworker", spoil);
  page.on("worker", (worker) => {
    if (!worker.url().startsWith("blob:") && originOf(worker.url()) !== origin) spoil();
  });
  page.on("framenavigated", (frame) => {
    const seen = originOf(frame.url());
    // nothing is stored for an empty page
    if (seen === null || frame.url() === blank) return;
    if (frame === page.mainFrame()) {
      // several origins in one tab have storage, and frames of one keep some under the other
      if (origin !== null && origin !== seen) spoil();
      origin = seen;
      origins.add(seen);
    } else if (seen !== origin) spoil();
  });

  /**
   * Leaves the page. Navigating to a blank one costs a third of loading a page, so a page that can do nothing any more is
   * emptied in place.
   */
  async function leave(): Promise<void> {
    if (!isInert) {
      blank = origin === null ? "about:blank" : emptyPageOf(origin);
      if (origin === null) await page.goto(blank);
      else await emptySession(origin);
      return;
    }
    await emptyDocument(cdp);
    // drops the renderer's memory cache
    await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
    await cdp.send("Network.setCacheDisabled", { cacheDisabled: false });
  }

  /**
   * Empties the site's session storage. Chromium keeps it as long as the tab lives, and clears it only from a page of the
   * site: one without scripts does so, after anything that the last page does when it is left.
   */
  async function emptySession(of: string): Promise<void> {
    await emptyPage.open(of);
    await clearSession(cdp);
  }

  async function empty(): Promise<void> {
    await leave();
    await Promise.all([
      cdp.send("Network.clearBrowserCache"),
      cdp.send("Network.clearBrowserCookies"),
      cdp.send("Page.resetNavigationHistory"),
      cdp.send("Runtime.evaluate", { expression: "window.name = ''" }),
      ...[...origins].map((each) => cdp.send("Storage.clearDataForOrigin", { origin: each, storageTypes: "all" })),
    ]);
    origins.clear();
    origin = null;
  }

  return {
    owner,
    page,
    cdp,
    proxyListener,
    crashed,
    ranNothing: () => void (isInert = true),
    begin(grant) {
      loads += 1;
      isInert = false;
      proxyListener.open(grant);
    },
    async forget({ origin: first }) {
      // later pages find only the empty one at which the tab was left
      if (page.url() !== "about:blank") return;
      blank = emptyPageOf(first);
      await emptyPage.open(first);
      await cdp.send("Page.resetNavigationHistory");
    },
    async clean() {
      proxyListener.shut();
      if (isSpoiled || loads >= loadsMax) return false;
      const emptied = await within(cleanMs, empty());
      return emptied && !isSpoiled && (isInert || page.url() === blank);
    },
    close,
  };
}

/** @returns whether the work was done in time */
export async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([
      work.then(
        () => true,
        () => false,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** @returns null for addresses without storage: about:, data: and the like */
function originOf(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}
