import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { signIn } from "@web-tester/loader/browser/sign-in";
import { usualVisitor } from "@web-tester/loader/browser/visitor";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import { type BrowserLoading, pageOf, startBrowserLoading } from "../support/browser-loading.js";
import { type Page, type Site, startSite } from "../support/site.js";

/** A whole Chrome asks a person for the password of a file, where a headless shell takes the answer of 401 as it is. */
const places = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/opt/google/chrome/chrome"];
const whole = places.find((path) => existsSync(path));
const inWhole = whole === undefined ? test.skip : test;
const after = `<script>addEventListener("load", () => document.body.append("Loaded"))</script><p>After`;
const asksForPassword: Page = (_request, response) =>
  void response.writeHead(401, { "www-authenticate": 'Basic realm="Files"' }).end();
let site: Site;
let loading: BrowserLoading;

beforeAll(async () => {
  site = await startSite({
    "/script": `<!doctype html><title>Script</title><p>Words<script src="/closed/a.js"></script>${after}`,
    "/fetch": `<!doctype html><title>Fetch</title><p>Words<script>fetch("/closed/b").then(({ status }) => document.body.append(status))</script>${after}`,
    "/open": `<!doctype html><title>Open</title><p>Words${after}`,
    "/slow": `<!doctype html><title>Slow</title><p>Words<img src="/slow.png">${after}`,
    "/closed/a.js": asksForPassword,
    "/closed/b": asksForPassword,
    "/slow.png": (_request, response) => void setTimeout(() => response.writeHead(404).end(), 5_000),
  });
  if (whole !== undefined) process.env["CHROMIUM_PATH"] = whole;
  loading = startBrowserLoading({ tabs: 1 });
}, 60_000);
afterAll(async () => {
  await loading?.close();
  await site?.close();
});

async function load(path: string) {
  const result = pageOf(await loading.load(new URL(path, site.url).href));
  return { text: result.body.toString(), warning: result.warning };
}

const timesOf = (path: string) => site.requests.filter((each) => each === path).length;

inWhole(
  "a page is not loaded twice for an answer that is slow (needs an installed Chromium)",
  async () => {
    expect((await load("/slow")).text).toContain("Loaded");
    expect(timesOf("/slow")).toBe(1);
  },
  60_000,
);

inWhole(
  "a page with a file that wants a password is stored whole, as if declined (needs an installed Chromium)",
  async () => {
    const { text, warning } = await load("/script");
    expect({ isWhole: /After[^]*Loaded/.test(text), warning }).toEqual({ isWhole: true, warning: null });
    expect(timesOf("/script")).toBe(2);
  },
  60_000,
);

inWhole(
  "a site that wanted one is known: its other pages are loaded once (needs an installed Chromium)",
  async () => {
    await load("/open");
    const { text, warning } = await load("/fetch");
    expect({ isWhole: /Loaded[^]*401/.test(text), warning }).toEqual({ isWhole: true, warning: null });
    expect(timesOf("/fetch")).toBe(1);
  },
  60_000,
);

inWhole(
  "a login is not held up by one (needs an installed Chromium)",
  async () => {
    const url = new URL("/script", site.url);
    const grant = {
      ...{ consent: consentFor(url), maxBytes: 1e6, onOverBudget: () => undefined },
      enter: async () => () => undefined,
    };
    const { signal } = new AbortController();
    const { followed } = await loading.pool.withPage(
      { owner: "one object", grant, deadlineMs: 60_000, signal },
      (tab) => signIn(tab, [{ do: "open", url: url.href }], { visitor: usualVisitor, withPictures: false }),
    );
    expect(followed).toMatchObject([{ ok: true, message: null }]);
  },
  90_000,
);
