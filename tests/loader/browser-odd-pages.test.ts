import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type BrowserLoading, pageOf, startBrowserLoading } from "../support/browser-loading.js";
import { type Site, startSite } from "../support/site.js";

/** What pages do that a browser has no trouble with: the snapshot is what a person would have seen. */
let site: Site;
let loading: BrowserLoading;

beforeAll(async () => {
  site = await startSite({
    "/stops": `<!doctype html><title>Stops</title><p>Words<script>window.stop()</script><p>Late<img src="/picture.png">`,
    "/closed": `<!doctype html><title>Closed</title><own-box><template shadowrootmode="closed"><p>Inside</p></template></own-box>`,
    "/offers": `<!doctype html><title>Offers</title><p>Words<script>location = "/file.bin"</script>`,
    "/counts": `<!doctype html><title>Counts</title><p>Words<script>location = "/nothing"</script>`,
    "/leads": `<!doctype html><title>Leads</title><script>location = "/offers"</script>`,
    "/nothing": (_request, response) => void response.writeHead(204).end(),
    "/file.bin": (_request, response) =>
      void response.writeHead(200, { "content-type": "application/octet-stream" }).end("bytes"),
  });
  loading = startBrowserLoading({ tabs: 1 });
}, 60_000);
afterAll(async () => {
  await loading?.close();
  await site?.close();
});

async function load(path: string) {
  return pageOf(await loading.load(new URL(path, site.url).href));
}

test("a page that stops its own load is stored as it then is, and is not waited for", async () => {
  const { body, warning } = await load("/stops");
  expect(body.toString()).toContain("<p>Words");
  expect(body.toString()).not.toContain("Late");
  expect(warning).toBeNull();
});

test("a closed shadow tree of a custom element is stored where no script runs", async () => {
  expect((await load("/closed")).body.toString()).toContain(
    `<own-box><template shadowrootmode="closed"><p>Inside</p></template></own-box>`,
  );
});

test.each(["/offers", "/counts"])(
  "a page that only asks for a download or a count (%s) redirected nowhere",
  async (path) => {
    const { finalUrl, redirects, body } = await load(path);
    expect(body.toString()).toContain("Words");
    expect({ finalUrl, redirects }).toEqual({ finalUrl: new URL(path, site.url).href, redirects: [] });
  },
);

test("the pages on the way to one that asks for a download are named", async () => {
  const { finalUrl, redirects } = await load("/leads");
  expect(finalUrl).toBe(`${site.url}offers`);
  expect(redirects).toEqual([{ url: `${site.url}leads`, status: 200 }]);
});
