import type { Browser, Page } from "playwright-core";
import type { Site } from "./site.js";
import { until } from "./until.js";

/** The ways in which a page can send requests to another server, by the names in {@link askInAllWays}. */
const ways = [
  "img",
  "iframe",
  "script",
  "stylesheet",
  "prefetch",
  "preload",
  "video",
  "fetch",
  "fetch-cors",
  "beacon",
  "form",
] as const;

/** Runs in a page: requests an address in every way that needs nobody's consent; each adds its name. */
function askInAllWays(address: string): void {
  const at = (way: string) => `${address}?way=${way}`;
  const add = <Name extends keyof HTMLElementTagNameMap>(name: Name, fields: Partial<HTMLElementTagNameMap[Name]>) => {
    const element = Object.assign(document.createElement(name), fields);
    document.body.append(element);
    return element;
  };
  add("img", { src: at("img") });
  add("iframe", { src: at("iframe") });
  add("script", { src: at("script") });
  add("link", { rel: "stylesheet", href: at("stylesheet") });
  add("link", { rel: "prefetch", href: at("prefetch") });
  add("link", { rel: "preload", as: "image", href: at("preload") });
  add("video", { src: at("video"), preload: "auto" });
  void fetch(at("fetch"), { mode: "no-cors" }).catch(() => undefined);
  void fetch(at("fetch-cors")).catch(() => undefined);
  navigator.sendBeacon(at("beacon"), "{}");
  add("iframe", { name: "target" });
  const form = add("form", { method: "post", action: at("form"), target: "target", enctype: "text/plain" });
  form.submit();
}

/**
 * Sends requests from a page in all ways.
 * @returns the status that each was answered with
 */
async function statusesFrom(page: Page, address: string): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const note = (url: string, status: number) => {
    const way = new URL(url).searchParams.get("way");
    if (way !== null) statuses[way] = status;
  };
  page.on("response", (response) => note(response.url(), response.status()));
  // answers that the browser hides from the page by other rules are visible only in the DevTools protocol
  const cdp = await page.context().newCDPSession(page);
  const asked = new Map<string, { url?: string; status?: number }>();
  const join = (id: string, part: { url?: string; status?: number }) => {
    const { url, status } = { ...asked.get(id), ...part };
    if (url !== undefined && status !== undefined) note(url, status);
    else asked.set(id, part);
  };
  // the two events come in either order
  cdp.on("Network.requestWillBeSent", ({ requestId, request }) => join(requestId, { url: request.url }));
  cdp.on("Network.responseReceivedExtraInfo", ({ requestId, statusCode }) => join(requestId, { status: statusCode }));
  await cdp.send("Network.enable");
  await page.evaluate(askInAllWays, address);
  await until("an answer to each way", () => ways.every((way) => way in statuses), 30_000).catch((cause: unknown) => {
    throw new Error(`No answer to ${ways.filter((way) => !(way in statuses)).join(", ")}`, { cause });
  });
  return statuses;
}

/** The statuses that foreign pages get from an address of the product, and those that the product's own page gets. */
export interface AskedByPages {
  /** From a page of another site: `localhost` is another site than `127.0.0.1`. */
  crossSite: Record<string, number>;
  /** From a page at another port of the same host. */
  sameSite: Record<string, number>;
  own: Record<string, number>;
}

/**
 * Requests an address from foreign pages and from the product's own.
 * @param site serves the foreign page
 */
export async function askByPages(
  browser: Browser,
  product: { address: string },
  site: Site,
  path: string,
): Promise<AskedByPages> {
  site.pages.set("/foreign.html", "<!doctype html><title>Foreign</title><p>foreign");
  const from = async (start: string) => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(start);
      return await statusesFrom(page, product.address + path);
    } finally {
      await context.close();
    }
  };
  const foreign = `${site.url}foreign.html`;
  return {
    crossSite: await from(foreign.replace("127.0.0.1", "localhost")),
    sameSite: await from(foreign),
    own: await from(`${product.address}/`),
  };
}

/**
 * Follows a link on a foreign page, like one in a mail that is read in a browser.
 * @returns the status of the link's target
 */
export async function followLink(browser: Browser, site: Site, address: string): Promise<number> {
  site.pages.set(
    "/mail.html",
    `<!doctype html><title>Mail</title><a href="${address.replaceAll("&", "&amp;")}">open</a>`,
  );
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(`${site.url.replace("127.0.0.1", "localhost")}mail.html`);
    const answered = page.waitForResponse(address);
    await page.getByRole("link").click();
    return (await answered).status();
  } finally {
    await context.close();
  }
}
