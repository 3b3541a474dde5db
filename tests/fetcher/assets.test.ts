import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { SnapshotAsset } from "@web-tester/contracts/entities/snapshot";
import { file, png } from "../support/asset-site.js";
import { invariantFaults } from "../support/invariants.js";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Page, type Site } from "../support/site.js";

/** The files that a page needs to look right are stored with it, each once, and are enough to show it without the site. */
describe("assets", () => {
  let product: Product;
  let site: Site;
  let objectId: string;
  let elsewhere: Site;

  const page = (title: string): string => `<!doctype html><html><head><title>${title}</title>
<link rel="stylesheet" href="/css/main.css?v=1"><link rel="icon" href="/icon.png">
<link rel="preload" as="font" href="/css/font.woff2" crossorigin></head>
<body style="background: url('/body.png')" onload="alert(1)">
<img src="/one.png" srcset="/one.png 1x, /two.png 2x" alt="one"><img data-src="/late.png" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<picture><source srcset="/wide.png" media="(min-width: 1px)"><img src="/one.png"></picture>
<video poster="/poster.png"><source src="/film.mp4" type="video/mp4"></video>
<svg width="20" height="20"><use href="/sprite.svg#dot"/></svg>
<iframe src="/frame.html" width="200" height="100"></iframe>
<img src="/missing.png"><img src="${elsewhere.url}foreign.png">
<script src="/app.js"></script><script>document.title = "ran"</script>
<a href="/next.html">next</a>
</body></html>`;

  function pages(): Record<string, Page> {
    return {
      "/": page("one"),
      "/second.html": page("two"),
      "/css/main.css?v=1": file(
        "text/css",
        `@import "more.css"; @font-face { font-family: F; src: url(font.woff2) } p { background: url(../bg.png) }`,
      ),
      "/css/more.css": file("text/css", `div { background: url("deep.png") }`),
      "/css/deep.png": file("image/png", png(2, 2, 0x112233)),
      "/css/font.woff2": file("font/woff2", "wOF2 a font"),
      "/bg.png": file("image/png", png(2, 2, 0x0000ff)),
      "/icon.png": file("image/png", png(2, 2, 0x00ff00)),
      "/body.png": file("image/png", png(2, 2, 0xff0000)),
      "/one.png": file("image/png", png(20, 20, 0xff00ff)),
      "/two.png": file("image/png", png(40, 40, 0xff00ff)),
      "/late.png": file("image/png", png(20, 20, 0x00ffff)),
      "/wide.png": file("image/png", png(30, 20, 0xffff00)),
      "/poster.png": file("image/png", png(3, 3, 0xffff00)),
      "/film.mp4": file("video/mp4", Buffer.alloc(5_000, 7)),
      "/sprite.svg": file(
        "image/svg+xml",
        `<svg xmlns="http://www.w3.org/2000/svg"><symbol id="dot"><circle r="5" cx="5" cy="5"/></symbol></svg>`,
      ),
      "/frame.html": `<!doctype html><link rel="stylesheet" href="/css/frame.css"><p>framed <img src="/one.png">`,
      "/css/frame.css": file("text/css", `@import "untyped.css"; p { color: red }`),
      "/css/untyped.css": (_request, response) => void response.end("b { background: url(of-untyped.png) }"),
      "/css/of-untyped.png": file("image/png", png(3, 2, 0x998877)),
      "/app.js": file("text/javascript", "document.title = 'ran'"),
    };
  }

  beforeAll(async () => {
    elsewhere = await startSite({});
    [product, site] = await Promise.all([shareProduct(), startSite({})]);
    for (const [path, body] of Object.entries(pages())) site.pages.set(path, body);
    objectId = await register(product, site.url);
    // mode auto would use the browser, in which the page's script runs
    await product.rest.call("updateTestObject", { params: { id: objectId }, body: { fetch_mode: "http" } });
    for (const path of ["", "second.html"])
      await product.db.query(`INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, 'a page')`, [
        objectId,
        site.url + path,
      ]);
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
    await elsewhere.close();
  });

  async function snapshotOf(name: string): Promise<string> {
    const [row] = await product.db.query<{ id: string }>(
      `SELECT s.id FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.url LIKE '%' || $1 AND s.state = 'done' ORDER BY s.id DESC LIMIT 1`,
      [name],
    );
    if (row === undefined) throw new Error(`There is no snapshot of ${name}`);
    return row.id;
  }

  async function assetsOf(id: string): Promise<SnapshotAsset[]> {
    const list = await product.rest.call("getTestSnapshot", { params: { id }, query: { _action: "assets" } });
    if (!Array.isArray(list)) throw new Error("No list of assets came");
    return list;
  }

  test("all files are found and stored, the missing ones are listed with the reason", async () => {
    site.requests.length = 0;
    expect(await fetchAll(product, objectId)).toMatchObject({ total: 2, failed: 0 });
    const assets = await assetsOf(await snapshotOf("second.html"));
    const paths = (list: SnapshotAsset[]) => list.map(({ url }) => new URL(url).pathname).sort();
    expect(paths(assets.filter(({ local_path }) => local_path !== null))).toEqual(
      Object.keys(pages())
        .map((path) => path.replace(/\?.*/, ""))
        .filter((path) => path !== "/" && path !== "/second.html")
        .sort(),
    );
    const missing = assets.filter(({ error }) => error !== null);
    expect(paths(missing)).toEqual(["/foreign.png", "/missing.png"]);
    expect(missing.map(({ error }) => error).join("\n")).toMatch(/404 Not Found[^]*refused|refused[^]*404 Not Found/);
    expect(elsewhere.requests).toEqual([]);
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("each file is asked for once per run, however many pages share it", () => {
    const counts = Map.groupBy(site.requests, (path) => path);
    expect([...counts].filter(([, asked]) => asked.length !== 1).map(([path]) => path)).toEqual([]);
  });

  test("the page is shown without its site, and says nothing to it", async () => {
    const id = await snapshotOf("second.html");
    const answer = await fetch(`${product.address}/api/testsnapshots/${id}/render`);
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(html).not.toContain("alert(1)");
    expect(html).not.toMatch(/\bran\b|app\.js/);
    for (const [, address] of html.matchAll(/(?:src|href|poster)="([^"#]+)"/g))
      if (address !== undefined && address.startsWith("/api/"))
        expect((await fetch(`${product.address}${address.replaceAll("&amp;", "&")}`)).status).toBe(200);
    expect(html.match(/\/api\/assets\//g)?.length).toBeGreaterThan(8);
  });
});
