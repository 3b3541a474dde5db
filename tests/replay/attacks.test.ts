import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { SnapshotAsset } from "@web-tester/contracts/entities/snapshot";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { file, png } from "../support/asset-site.js";
import { launchBrowser } from "../support/browser.js";
import { type HostileDocument, hostileDocuments } from "../support/hostile-documents.js";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { uploadJson } from "../support/transfer.js";
import { until } from "../support/until.js";

/** Stored pages and files in a real Chromium: no script runs, nothing outside is requested, no token is read. */
describe("a hostile page", () => {
  /** The timeout of a test that opens some 200 documents, on a machine that may be busy. */
  const patienceMs = 300_000;
  let product: Product;
  let site: Site;
  let canary: Awaited<ReturnType<typeof startCanary>>;
  let browser: Browser;
  let documents: HostileDocument[];
  /** Addresses of the stored documents and files as the product shows them. */
  let pages: string[];
  let files: string[];

  beforeAll(async () => {
    canary = await startCanary();
    documents = hostileDocuments(canary.url);
    [product, site, browser] = await Promise.all([shareProduct(), startSite({}), launchBrowser()]);
    // a fetch does not keep a page that leads elsewhere at once, but an import may bring one
    const [leading, staying] = [true, false].map((leads) =>
      documents.filter(({ name }) => /^refresh(-quoted)?$/.test(name) === leads),
    ) as [HostileDocument[], HostileDocument[]];
    for (const { name, body, contentType } of documents) site.pages.set(`/${name}`, file(contentType, body));
    const types = hostileFiles(canary.url);
    for (const [path, { type, body }] of Object.entries(types)) site.pages.set(path, file(type, body));
    site.pages.set(
      "/files.html",
      Object.keys(types)
        .map((path) => `<img src="${path}">`)
        .join("\n"),
    );
    const objectId = await register(product, site.url);
    await product.rest.call("updateTestObject", { params: { id: objectId }, body: { fetch_mode: "http" } });
    await product.db.query(
      `INSERT INTO test_instance (test_object_id, url, name) SELECT $1, unnest($2::text[]), 'a page'`,
      [objectId, [...staying.map(({ name }) => `${site.url}${name}`), `${site.url}files.html`]],
    );
    expect(await fetchAll(product, objectId)).toMatchObject({ failed: 0 });
    expect(leading).toHaveLength(2);
    const imported = await uploadJson(product, {
      testObjects: [{ id: 1, name: "Imported", url: site.url }],
      testInstances: leading.map(({ name }, id) => ({ id, testobject_id: 1, name, url: `${site.url}${name}` })),
      testSnapshots: leading.map(({ body }, id) => ({ id, testinstance_id: id, state: "done", html: String(body) })),
    });
    expect(JSON.parse(imported.text)).toMatchObject({ snapshots: 2 });
    const rows = await product.db.query<{ id: string; url: string }>(
      `SELECT s.id, i.url FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id ORDER BY i.url`,
    );
    pages = rows.map(({ id }) => `${product.address}/api/testsnapshots/${id}/render`);
    const holder = rows.find(({ url }) => url.endsWith("files.html"));
    const assets = await product.rest.call("getTestSnapshot", {
      params: { id: holder?.id ?? "" },
      query: { _action: "assets" },
    });
    files = (assets as SnapshotAsset[]).flatMap(({ address }) => (address === null ? [] : [product.address + address]));
    expect(files).toHaveLength(Object.keys(types).length);
  });
  afterAll(async () => {
    await browser.close();
    await product.stop();
    await site.close();
    await canary.close();
  });

  test("there are at least 100 documents and 14 types of files", () => {
    expect(new Set(documents.map(({ name }) => name)).size).toBe(documents.length);
    expect(documents.length).toBeGreaterThanOrEqual(100);
    expect(files.length).toBeGreaterThanOrEqual(14);
    expect(canary.requests).toEqual([]);
  });

  test(
    "without the defence the same documents do breach",
    async () => {
      // not the stored copies but the documents themselves, as their own site serves them; in a browser of their own, which ends what they left running
      const careless = await launchBrowser();
      const watch = await openWatched(careless, site.url);
      const framed = documents.filter(({ isAlone }) => !isAlone).map(({ name }) => site.url + name);
      for (let from = 0; from < framed.length; from += batch) {
        await watch.open(`${site.url}harness`);
        await watch.frame(framed.slice(from, from + batch), false);
        await watch.settled();
      }
      for (const { name, isAlone } of documents) {
        if (!isAlone) continue;
        await watch.open(site.url + name);
        await watch.settled();
      }
      await careless.close();
      const told = [...watch.breaches, ...canary.requests].join("\n");
      const harmless = documents
        .map(({ name }) => name)
        .filter((name) => !new RegExp(`[/ ]${name}(?![\\w-])`).test(told));
      // only attacks that browsers of today do not fall for may be harmless
      expect(harmless.filter((name) => !historic.has(name))).toEqual([]);
      expect(told).toContain("token");
      expect(told).toContain("dialog");
      expect(told).toContain("popup");
    },
    patienceMs,
  );

  test(
    "opened directly: nothing",
    async () => {
      canary.requests.length = 0;
      const watch = await openWatched(browser, product.address);
      for (const address of [...pages, ...files]) await watch.open(address);
      await watch.settled();
      await watch.close();
      expect({ breaches: watch.breaches, canary: canary.requests }).toEqual({ breaches: [], canary: [] });
    },
    patienceMs,
  );

  test.each([
    ["as the product frames them", true],
    ["by the headers alone", false],
  ])(
    "framed, %s: nothing",
    async (_how, sandboxed) => {
      const watch = await openWatched(browser, product.address);
      canary.requests.length = 0;
      const addresses = [...pages, ...files];
      for (let from = 0; from < addresses.length; from += batch) {
        await watch.open(`${product.address}/healthz`);
        await watch.frame(addresses.slice(from, from + batch), sandboxed);
      }
      await watch.settled();
      expect({ breaches: watch.breaches, canary: canary.requests }).toEqual({ breaches: [], canary: [] });
      await watch.close();
    },
    patienceMs,
  );

  test("every answer carries the isolation headers, and no type is a script's", async () => {
    for (const address of [...pages, ...files]) {
      const { headers } = await fetch(address);
      expect(headers.get("content-security-policy")).toBe(
        "sandbox; default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("content-type")).not.toMatch(/script|wasm/i);
    }
    for (const address of files) {
      const { headers } = await fetch(address);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      expect(headers.get("cache-control")).toContain("immutable");
      const isMedia = /^(?:image\/(?!svg)|video\/|audio\/)/.test(headers.get("content-type") ?? "");
      expect([address, headers.get("content-disposition")?.startsWith("attachment") ?? false]).toEqual([
        address,
        !isMedia,
      ]);
    }
  });
});

/** The number of frames that one window shows at once. */
const batch = 25;

/** Attacks that browsers of today do not fall for; they stay in the test for browsers to come. */
const historic = new Set([
  "utf-7-header",
  "utf-7-meta",
  "iso-2022-jp",
  "shift-jis-lead",
  "css-data-sheet",
  "preconnect",
]);

/** Files that are or hide scripts, by path. */
function hostileFiles(canary: string): Record<string, { type: string; body: string | Buffer }> {
  const js = `try{breach('ran file')}catch(e){};try{if(localStorage.getItem('apiAuth'))breach('token file')}catch(e){};new Image().src='${canary}file'`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="${js}"><script>${js}</script><image xlink:href="${canary}svg" width="9" height="9"/><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${canary}frame"/></foreignObject></svg>`;
  const xsl = `<?xml version="1.0"?><xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><script>${js}</script></html></xsl:template></xsl:stylesheet>`;
  return {
    "/a.html": { type: "text/html", body: `<script>${js}</script><img src="${canary}html">` },
    "/a.xhtml": {
      type: "application/xhtml+xml",
      body: `<html xmlns="http://www.w3.org/1999/xhtml"><script>${js}</script></html>`,
    },
    "/a.js": { type: "text/javascript", body: js },
    "/a.svg": { type: "image/svg+xml", body: svg },
    "/a.xml": {
      type: "text/xml",
      body: `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="data:text/xml;base64,${Buffer.from(xsl).toString("base64")}"?><a/>`,
    },
    "/a.xsl": { type: "application/xml", body: xsl },
    "/a.css": { type: "text/css", body: `@import "${canary}import"; body { background: url(${canary}css) }` },
    "/a.pdf": {
      type: "application/pdf",
      body: `%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.launchURL("${canary}pdf"))>>>>endobj\ntrailer<</Root 1 0 R>>`,
    },
    "/a.swf": { type: "application/x-shockwave-flash", body: "FWS\x06flash" },
    "/a.wasm": { type: "application/wasm", body: Buffer.from("0061736d01000000", "hex") },
    "/a.json": { type: "application/json", body: `{"a": "<script>${js}</script>"}` },
    "/a.woff2": { type: "font/woff2", body: `wOF2<script>${js}</script>` },
    "/polyglot.png": {
      type: "image/png",
      body: Buffer.concat([png(1, 1, 0), Buffer.from(`<html><script>${js}</script>`)]),
    },
    "/a.mp4": {
      type: "video/mp4",
      body: Buffer.concat([Buffer.from("0000001866747970", "hex"), Buffer.from(`isom<script>${js}</script>`)]),
    },
    "/a.txt": { type: "text/plain", body: `<html><script>${js}</script>` },
    "/unknown": { type: "application/x-unknown", body: `<html><script>${js}</script>` },
    "/a.mht": {
      type: "multipart/related",
      body: `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<script>${js}</script>`,
    },
  };
}

/** Starts a foreign server that records every request. */
async function startCanary() {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? "");
    response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/plain" }).end("tweet");
  });
  server.on("connection", () => requests.push("connection"));
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    requests,
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}

interface Watched {
  /** Everything that reached the outside or ran. */
  breaches: string[];
  open(address: string): Promise<void>;
  frame(addresses: readonly string[], sandboxed: boolean): Promise<void>;
  /** Waits until earlier pages have had their time: opens another page, and returns when its delayed script has run. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a page with a token in its origin's storage, and records everything that hostile documents achieve there. */
async function openWatched(browser: Browser, origin: string): Promise<Watched> {
  const context: BrowserContext = await browser.newContext({ acceptDownloads: false });
  context.setDefaultTimeout(90_000);
  const breaches: string[] = [];
  await context.exposeBinding("breach", (_source, what: string) => void breaches.push(what));
  const page: Page = await context.newPage();
  // any page of the origin serves to store the token
  await page.goto(new URL("/healthz", origin).href);
  await page.evaluate(() => localStorage.setItem("apiAuth", "secret"));
  const watch = (watched: Page) => {
    watched.on("dialog", (dialog) => {
      breaches.push(`dialog ${dialog.message()}`);
      void dialog.dismiss().catch(() => undefined);
    });
  };
  watch(page);
  context.on("page", (opened) => {
    if (!expected) breaches.push(`popup ${opened.url()}`);
  });
  let expected = false;
  return {
    breaches,
    async open(address) {
      await page.goto(address, { waitUntil: "load" }).catch((error: unknown) => {
        // files are offered for download, which the sandbox refuses; a page may have navigated elsewhere meanwhile
        if (!/ERR_ABORTED|Download is starting|interrupted/i.test(String(error))) throw error;
      });
    },
    async frame(addresses, sandboxed) {
      await page.evaluate(
        async ([list, isSandboxed]) => {
          await Promise.all(
            list.map(
              (address) =>
                new Promise<void>((loaded) => {
                  const frame = document.createElement("iframe");
                  if (isSandboxed) frame.setAttribute("sandbox", "");
                  frame.src = address;
                  frame.onload = () => loaded();
                  // a file that is offered for download never loads
                  if (/\/api\/assets\//.test(address)) setTimeout(loaded, 500);
                  document.body.append(frame);
                }),
            ),
          );
        },
        [addresses, sandboxed] as const,
      );
    },
    async settled() {
      const marker = `settled ${Math.random()}`;
      expected = true;
      const last = await context.newPage();
      expected = false;
      await last.setContent(
        `<script>setTimeout(() => setTimeout(() => requestAnimationFrame(() => breach(${JSON.stringify(marker)})), 50), 50)</script>`,
      );
      await until("the browser's turn", () => breaches.includes(marker));
      breaches.splice(breaches.indexOf(marker), 1);
      await last.close();
    },
    close: () => context.close(),
  };
}
