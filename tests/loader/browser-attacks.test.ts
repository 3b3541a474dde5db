import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { AddressPolicy } from "@web-tester/platform/egress/address-policy";
import type { Lookup } from "@web-tester/platform/egress/resolve";
import { launchBrowser } from "../support/browser.js";
import { type BrowserLoading, startBrowserLoading } from "../support/browser-loading.js";
import { type Canary, startCanary } from "../support/canary.js";
import { hostilePage } from "../support/hostile-page.js";
import { type Page, type Site, startSite } from "../support/site.js";
import { until } from "../support/until.js";

/** The least number of ways out that the hostile page has to try. */
const waysMin = 29;

let canary: Canary;
let site: Site;
let guarded: BrowserLoading;

/** Resolves every name to loopback; of one name, a public address comes before the loopback one. */
const lookup: Lookup = async (host) =>
  host === "mixed.example"
    ? [
        { address: "93.184.215.14", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ]
    : [{ address: "127.0.0.1", family: 4 }];

beforeAll(async () => {
  canary = await startCanary();
  const { port } = canary;
  const at = (name: string) => `http://127.0.0.1:${port}/${name}`;
  const html =
    (headers: Record<string, string>, body: string): Page =>
    (_request, response) =>
      void response.writeHead(200, { "content-type": "text/html", ...headers }).end(body);
  site = await startSite({
    "/xslt": (_request, response) =>
      void response
        .writeHead(200, { "content-type": "application/xml" })
        .end(`<?xml version="1.0"?><?xml-stylesheet type="text/css" href="${at("xml-stylesheet")}"?><a/>`),
    "/refresh-header": html({ refresh: `0; url=${at("refresh-header")}` }, "x"),
    "/csp": html(
      {
        "content-security-policy": `img-src 'none'; report-uri ${at("csp-report-uri")}; report-to canary`,
        "reporting-endpoints": `canary="${at("reporting-endpoint")}"`,
        nel: '{"report_to":"canary","max_age":100,"success_fraction":1}',
        link: `<${at("link-header")}>; rel=preload; as=image`,
      },
      '<img src="/blocked.png">',
    ),
    "/service-worker.js": (_request, response) =>
      void response
        .writeHead(200, { "content-type": "text/javascript" })
        .end(`fetch("${at("service-worker-fetch")}", { mode: "no-cors" })`),
    "/to-canary": (_request, response) => void response.writeHead(302, { location: at("redirected-page") }).end(),
  });
  const own = site.url.slice(0, -1);
  const spellings = [
    "localhost",
    "LOCALHOST.",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "rebind.example",
    "mixed.example",
  ].map((host) => `${host}:${port}`);
  site.pages.set("/", hostilePage({ http: `127.0.0.1:${port}`, udp: `127.0.0.1:${canary.udpPort}`, own, spellings }));
  // redirects carry their target in the query
  const { pages } = site;
  const get = pages.get.bind(pages);
  pages.get = (path) => {
    if (!path.startsWith("/to?")) return get(path);
    const query = new URL(path, own).searchParams;
    return (_request, response) =>
      void response.writeHead(Number(query.get("status")), { location: query.get("url") ?? "" }).end();
  };
  guarded = startBrowserLoading({ lookup });
}, 60_000);

afterAll(async () => {
  await guarded?.close();
  await Promise.all([canary?.close(), site?.close()]);
});

test("a browser without protection reaches the canary in many ways", async () => {
  canary.reset();
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    // some of the page's requests are never answered in an unguarded browser, so its load may never end
    await page.goto(site.url, { waitUntil: "commit" });
    await until(`${waysMin} ways`, async () => (canary.ways.size >= waysMin ? true : undefined), 60_000);
    await until("datagrams", async () => (canary.ways.has("udp") ? true : undefined), 60_000);
    expect(canary.arrivals()).toBeGreaterThanOrEqual(waysMin);
  } finally {
    await browser.close();
  }
});

test("without its policy the product's own browser reaches it too, so it is the policy that holds", async () => {
  canary.reset();
  const policy: AddressPolicy = { decide: () => ({ allowed: true }) };
  const unguarded = startBrowserLoading({ policy, lookup });
  try {
    expect(await unguarded.load(site.url)).toMatchObject({ kind: "page" });
    expect(canary.ways.size).toBeGreaterThanOrEqual(waysMin);
    // traffic that never asks a proxy, such as UDP, has no way out at all
    expect(canary.ways.has("udp")).toBe(false);
  } finally {
    await unguarded.close();
  }
});

test("with it no connection and no datagram arrives, while the page itself and its own files load", async () => {
  canary.reset();
  site.requests.length = 0;
  const refused: string[] = [];
  const result = await guarded.load(site.url, {
    onResource: ({ url, error }) => void (error !== null && refused.push(url)),
  });
  expect(result).toMatchObject({ kind: "page", status: 200 });
  expect(result.kind === "page" && result.body.toString()).toContain('data-ran="yes"');
  expect(site.requests).toContain("/csp");
  expect(refused.filter((url) => url.includes(`:${canary.port}/`)).length).toBeGreaterThan(waysMin);
  // once another page is loaded, whatever the first one does on being closed has happened
  site.pages.set("/next", "<title>Next</title>");
  expect(await guarded.load(`${site.url}next`)).toMatchObject({ kind: "page" });
  expect({ arrivals: canary.arrivals(), ways: [...canary.ways] }).toEqual({ arrivals: 0, ways: [] });
});

test("a page that redirects there, and one that is there, are refused in words", async () => {
  canary.reset();
  expect(await guarded.load(`${site.url}to-canary`)).toMatchObject({
    kind: "failed",
    code: "address_refused",
    redirects: [{ url: `${site.url}to-canary`, status: 302 }],
  });
  expect(await guarded.load(`http://127.0.0.1:${canary.port}/`, { consent: null })).toMatchObject({
    kind: "failed",
    code: "address_refused",
  });
  expect(canary.arrivals()).toBe(0);
});

test("a page never uses the consent of another object", async () => {
  const other = await startSite({ "/secret": "<title>Secret</title>" });
  try {
    expect(await guarded.load(`${other.url}secret`, { owner: "other" })).toMatchObject({ kind: "page" });
    const before = other.requests.length;
    site.pages.set(
      "/peek",
      `<title>Peek</title><iframe src="${other.url}secret"></iframe><img src="${other.url}secret">`,
    );
    const both = await Promise.all([
      guarded.load(`${site.url}peek`),
      guarded.load(`${other.url}secret`, { owner: "other" }),
      guarded.load(`${site.url}peek`, { owner: "other" }),
    ]);
    expect(both.map(({ kind }) => kind)).toEqual(["page", "page", "page"]);
    expect(other.requests.length - before).toBe(1);
  } finally {
    await other.close();
  }
});
