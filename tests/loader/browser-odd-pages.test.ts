import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type BrowserLoading, startBrowserLoading } from "../support/browser-loading.js";
import { type Site, startSite } from "../support/site.js";

/** What pages do that a browser has no trouble with: the snapshot is what a person would have seen. */
let site: Site;
let loading: BrowserLoading;

beforeAll(async () => {
  site = await startSite({
    "/stops": `<!doctype html><title>Stops</title><p>Words<script>window.stop()</script><p>Late<img src="/picture.png">`,
    "/closed": `<!doctype html><title>Closed</title><own-box><template shadowrootmode="closed"><p>Inside</p></template></own-box>`,
  });
  loading = startBrowserLoading({ tabs: 1 });
}, 60_000);
afterAll(async () => {
  await loading?.close();
  await site?.close();
});

async function load(path: string) {
  const result = await loading.load(new URL(path, site.url).href);
  if (result.kind !== "page") throw new Error(JSON.stringify(result));
  return result;
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
