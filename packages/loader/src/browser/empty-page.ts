import type { BrowserContext, Page } from "playwright-core";

/** The path of a site at which a tab is between two pages; random, so that no site has a page there. */
export const emptyPath = `/.empty-${Math.random().toString(36).slice(2)}`;

/** The empty page of a site, for which no server is ever asked. */
export interface EmptyPage {
  /** Leaves what the tab shows for the empty page of an origin. */
  open(origin: string): Promise<void>;
}

/** Without an icon of its own Chromium would ask the site for one. */
const withoutIcon = Buffer.from('<link rel="icon" href="data:,">').toString("base64");

export const emptyPageOf = (origin: string): string => `${origin}${emptyPath}`;

/**
 * Gives a tab its empty pages. They are all that the tab's history holds when a page begins; a page that goes back to one by script
 * (`history.back()`) stays where it is, as in a tab that somebody opened for it.
 */
export async function addEmptyPage(context: BrowserContext, page: Page): Promise<EmptyPage> {
  // apart from the tab's other session, which pauses requests to add credentials to them
  const session = await context.newCDPSession(page);
  let isOpening = false;
  session.on("Fetch.requestPaused", ({ requestId }) => {
    const answered = isOpening
      ? session.send("Fetch.fulfillRequest", {
          requestId,
          responseCode: 200,
          responseHeaders: [{ name: "Content-Type", value: "text/html" }],
          body: withoutIcon,
        })
      : session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    answered.catch(() => undefined); // the tab may be given up meanwhile
  });
  await session.send("Fetch.enable", { patterns: [{ urlPattern: `*${emptyPath}` }] });
  return {
    async open(origin) {
      isOpening = true;
      try {
        await page.goto(emptyPageOf(origin));
      } finally {
        isOpening = false;
      }
    },
  };
}
