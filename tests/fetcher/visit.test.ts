import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { runEnded } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

/** Requests use the identity that an object chooses (headers, cookies, language, window); its headers and cookies go only to its own site. */
describe("a visit of one's own", () => {
  const secret = "tok-Geheim-123";
  let product: Product;
  let site: Site;
  let other: Site;
  /** The other site's address under another host name, because cookies are shared between all ports of a host. */
  let elsewhere: string;
  const seen = new Map<string, IncomingHttpHeaders>();

  const page =
    () => `<!doctype html><title>Mine</title><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/site.css"><script src="/ads/ad.js"></script>
<img src="${elsewhere}pixel.png"><p id="told"></p><div id="banner">We bake cookies <button class="ok" onclick="this.parentNode.remove(); document.cookie = 'consent=1'; addMore()">Fine</button></div>
<script>
  function addMore() { document.body.append(Object.assign(document.createElement("h2"), { textContent: "Below the banner" })); }
  document.querySelector("#told").textContent = [navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, innerWidth + "x" + innerHeight + "@" + devicePixelRatio,
    navigator.userAgent, document.cookie, typeof advertised, "ontouchstart" in window].join(" | ");
</script>`;

  beforeAll(async () => {
    const keep =
      (type: string, body: () => string) =>
      (request: IncomingMessage, response: ServerResponse): void => {
        seen.set(request.url ?? "", request.headers);
        response.writeHead(200, { "content-type": type }).end(body());
      };
    [product, other] = await Promise.all([shareProduct(reachesLoopback), startSite({})]);
    elsewhere = other.url.replace("127.0.0.1", "localhost");
    other.pages.set(
      "/pixel.png",
      keep("image/png", () => "no picture"),
    );
    site = await startSite({
      "/": keep("text/html", page),
      "/site.css": keep("text/css", () => "p { color: red }"),
      "/ads/ad.js": keep("text/javascript", () => "window.advertised = true"),
    });
  });
  afterAll(async () => {
    await product.stop();
    await Promise.all([site.close(), other.close()]);
  });

  async function fetchWith(body: BodyInput<"updateTestObject">) {
    seen.clear();
    const { id } = await product.rest.call("createTestObject", { body: { name: "Mine", url: site.url } });
    const patched = await product.rest.call("updateTestObject", { params: { id }, body });
    const { testsnapshotId } = await product.rest.call("snapshotOne", { params: { id } });
    const [row] = await product.db.query<{ run_id: string }>("SELECT run_id FROM test_snapshot WHERE id = $1", [
      testsnapshotId,
    ]);
    await runEnded(product, row?.run_id ?? "none");
    const snapshot = await product.rest.call("getTestSnapshot", { params: { id: testsnapshotId }, query: {} });
    if (Array.isArray(snapshot)) throw new Error("not a snapshot");
    const told = /<p id="told">(.*?)<\/p>/s.exec(snapshot.html)?.[1]?.split(" | ") ?? [];
    return { id, patched, snapshot, told };
  }

  const mine = {
    user_agent: "Tester's own/9",
    language: "de-DE",
    request_headers: [`X-Site-Token: ${secret}`, "Cookie: session=abc; theme=dark"],
  };

  test.each(["http", "browser"] as const)(
    "%s: headers, cookies, name and language are sent to the site, not to others",
    async (mode) => {
      const { snapshot } = await fetchWith({ ...mine, fetch_mode: mode });
      expect(snapshot).toMatchObject({ state: "done", fetch_mode_used: mode });
      for (const path of ["/", "/site.css"]) {
        expect(seen.get(path)).toMatchObject({
          "user-agent": "Tester's own/9",
          "x-site-token": secret,
          cookie: expect.stringContaining("session=abc"),
        });
        expect(seen.get(path)?.["accept-language"]).toMatch(/^de-DE/);
      }
      // the control: the other site was requested, with the same user agent
      expect(seen.get("/pixel.png")).toMatchObject({ "user-agent": "Tester's own/9" });
      expect(seen.get("/pixel.png")).not.toHaveProperty("x-site-token");
      expect(seen.get("/pixel.png")?.cookie).toBeUndefined();
    },
  );

  test("what is kept secret does not come back, and stays until it is replaced or removed", async () => {
    const { id, patched } = await fetchWith({ ...mine, fetch_mode: "http" });
    expect(patched.request_header_names).toEqual(["X-Site-Token", "Cookie"]);
    const [stored] = await product.db.query<{ text: string }>(
      "SELECT test_object::text AS text FROM test_object WHERE id = $1",
      [id],
    );
    const answers = JSON.stringify([patched, await product.rest.call("getTestObject", { params: { id } }), stored]);
    expect(answers).toContain("X-Site-Token");
    for (const text of [secret, "session=abc", Buffer.from(secret).toString("hex")])
      expect(answers).not.toContain(text);
    const keep = await product.rest.call("updateTestObject", { params: { id }, body: { language: "fr" } });
    expect(keep.request_header_names).toHaveLength(2);
    const none = await product.rest.call("updateTestObject", { params: { id }, body: { request_headers: [] } });
    expect(none.request_header_names).toEqual([]);
  });

  test("in the browser: window, language, time zone and cookies are those that were chosen", async () => {
    const { told } = await fetchWith({
      ...mine,
      ...{ fetch_mode: "browser", time_zone: "America/New_York", viewport: "390x844@3 mobile" },
    });
    expect(told).toEqual([
      ...["de-DE", "America/New_York", "390x844@3", "Tester's own/9", "session=abc; theme=dark"],
      ...["boolean", "true"],
    ]);
    const usual = await fetchWith({ fetch_mode: "browser" });
    expect(usual.told.filter((_, index) => index !== 3)).toEqual([
      "en-US",
      "UTC",
      "1280x900@1",
      "",
      "boolean",
      "false",
    ]);
    expect(usual.told[3]).toContain("web-tester");
  });

  test("a banner is clicked away, and what that brings is there; addresses that are blocked are not asked for", async () => {
    const { snapshot, told } = await fetchWith({
      ...{ fetch_mode: "browser", dismiss_selectors: ["#banner .ok", ".not-there"] },
      block_list: ["*/ads/*", `${elsewhere}*`],
    });
    expect(snapshot.html).not.toContain("We bake cookies");
    expect(snapshot.html).toContain("<h2>Below the banner</h2>");
    expect(told[5]).toBe("undefined");
    expect([...seen.keys()].toSorted()).toEqual(["/", "/site.css"]);
    const control = await fetchWith({ fetch_mode: "browser" });
    expect(control.snapshot.html).toContain("We bake cookies");
    expect([...seen.keys()].toSorted()).toEqual(["/", "/ads/ad.js", "/pixel.png", "/site.css"]);
  });

  test("over HTTP files that are blocked are listed with the reason, and not asked for", async () => {
    const { snapshot } = await fetchWith({ fetch_mode: "http", block_list: [`${elsewhere}*`] });
    const assets = await product.rest.call("getTestSnapshot", {
      params: { id: snapshot.id },
      query: { _action: "assets" },
    });
    expect(assets).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ url: `${elsewhere}pixel.png`, error: expect.stringContaining("not loaded") }),
      ]),
    );
    expect(seen.has("/pixel.png")).toBe(false);
  });

  test.each<[string, BodyInput<"updateTestObject">, string]>([
    ["a header without a colon", { request_headers: ["no header"] }, "Name: value"],
    ["a header of the product's own", { request_headers: ["Host: other.test"] }, "the product sets it itself"],
    ["an impossible window", { viewport: "1x1" }, "Enter a window"],
    ["no time zone", { time_zone: "Mars/Olympus" }, "IANA"],
    ["no language", { language: "??" }, "Enter a language"],
    ["a user agent with a line break", { user_agent: "a\nb" }, "ASCII"],
  ])("%s is refused in words", async (_name, body, words) => {
    const { id } = await product.rest.call("createTestObject", { body: { name: "Wrong", url: site.url } });
    await expect(product.rest.call("updateTestObject", { params: { id }, body })).rejects.toThrow(words);
  });

  test("a selector that is none fails the page in words", async () => {
    const { snapshot } = await fetchWith({ fetch_mode: "browser", dismiss_selectors: ["p[[["] });
    expect(snapshot).toMatchObject({ state: "failed", error: expect.stringContaining("not a CSS selector") });
  });
});
