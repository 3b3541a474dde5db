import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { file, png } from "../support/asset-site.js";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { createSites, type Page } from "../support/site.js";

/** What a site's headers keep from being shown, and what is not in its HTML, looks in the stored page as it did to a visitor. */
let product: Product;
const sites = createSites();

beforeAll(async () => {
  product = await shareProduct();
}, 240_000);
afterAll(async () => {
  await sites.close();
});

const withHeaders =
  (headers: Record<string, string>, body: string): Page =>
  (_request, response) =>
    void response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers }).end(body);

async function shown(url: string, mode: "browser" | "http") {
  const id = await register(product, url, mode);
  await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: mode, asset_snapshots: true } });
  await product.db.query("INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, $2)", [id, url]);
  await fetchAll(product, id);
  const [row] = await product.db.query<{ id: string }>(
    "SELECT s.id FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1",
    [id],
  );
  const snapshot = await product.rest.call("getTestSnapshot", { params: { id: row?.id ?? "" } });
  const assets = await product.rest.call("getTestSnapshot", {
    params: { id: row?.id ?? "" },
    query: { _action: "assets" },
  });
  if (Array.isArray(snapshot) || !Array.isArray(assets)) throw new Error("One for the other");
  return { html: await (await fetch(`${product.address}${snapshot.render}`)).text(), assets };
}

const styled = `<!doctype html><html><head><title>Refused</title><style>.a{color:red}</style><style nonce="abc">.n{color:green}</style><link rel="stylesheet" href="/other.css" integrity="sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="></head><body><p class="a" style="color:red">Text</p><x-a><template shadowrootmode="open"><b style="color:red">Shadow</b></template></x-a></body></html>`;

test("a style sheet that is not the one that the page names is not applied over HTTP either", async () => {
  const site = await sites.open({
    "/": `<!doctype html><title>Named</title><link rel=stylesheet href=/own.css integrity="sha384-${createHash("sha384").update("p{color:green}").digest("base64")}"><link rel=stylesheet href=/other.css integrity="sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="><p>Text`,
    "/own.css": file("text/css", "p{color:green}"),
    "/other.css": file("text/css", "p{background:url(/a.png)}"),
  });
  const { html, assets } = await shown(site.url, "http");
  expect(html).toMatch(/<link rel="stylesheet" href="\/api\/assets\/[^"]*"><link rel="stylesheet"><p>/);
  const errors = Object.fromEntries(assets.map(({ url, error }) => [new URL(url).pathname, error]));
  expect(errors).toEqual({
    "/own.css": null,
    "/other.css": "It is not the file that the page names by integrity, so no browser applies it.",
  });
});

test("styles that a policy refuses, and style sheets that are not those that a page names, do not hold", async () => {
  const site = await sites.open({
    "/": withHeaders({ "content-security-policy": "style-src 'self' 'nonce-abc'" }, styled),
    "/other.css": file("text/css", "p{font-size:99px}"),
  });
  const { html: sent } = await shown(site.url, "http");
  expect(sent).not.toContain("color:red");
  expect(sent).toContain(".n{color:green}");
  const { html: drawn } = await shown(site.url, "browser");
  expect(drawn).not.toContain("style=");
  expect(drawn).toContain(`<style media="not all">.a{color:red}</style><style>.n{color:green}</style>`);
  expect(drawn).toMatch(/<link [^>]*media="not all"/);
}, 120_000);

test.each(["http", "browser"] as const)(
  "pictures, style sheets and frames that a policy refuses are not shown (%s)",
  async (mode) => {
    const seen = `<!doctype html><title>Refused files</title><link rel=stylesheet href=/a.css nonce=abc><link rel=stylesheet href=/b.css><img src=/a.png alt=refused><iframe src=/framed></iframe>`;
    const answers = {
      "/a.css": file("text/css", "p{}"),
      "/b.css": file("text/css", "b{}"),
      "/a.png": file("image/png", "x"),
      "/framed": "<!doctype html><p>In a frame",
    };
    const policy = "style-src 'nonce-abc'; img-src https:; frame-src 'none'";
    const strict = await sites.open({ ...answers, "/": withHeaders({ "content-security-policy": policy }, seen) });
    const free = await sites.open({ ...answers, "/": seen });
    const [{ html: refused }, { html: all }] = [await shown(strict.url, mode), await shown(free.url, mode)];
    const counts = (html: string) =>
      ["<link [^>]*href=", '<img [^>]*src="/api', "srcdoc="].map((part) => html.split(new RegExp(part)).length - 1);
    // a browser tells nobody which nonces a page has, so all its links may have had one
    expect(counts(refused)).toEqual([mode === "http" ? 1 : 2, 0, 0]);
    expect(counts(all)).toEqual([2, 1, 1]);
  },
  120_000,
);

test.each(["http", "browser"] as const)(
  "pictures that a style sheet names are not shown where the policy of the page refuses them (%s)",
  async (mode) => {
    const files = {
      "/a.css": file("text/css", "p{background:url(/a.png)} b{background:url(/own/b.png)}"),
      "/a.png": file("image/png", png(2, 2, 0xff0000)),
      "/own/b.png": file("image/png", png(2, 2, 0x00ff00)),
    };
    const seen = `<!doctype html><title>Painted</title><link rel=stylesheet href=/a.css><p>Text <b>bold</b></p>`;
    const free = await sites.open({ ...files, "/": seen });
    const policy = `img-src 'self'`;
    const strict = await sites.open({ ...files, "/": withHeaders({ "content-security-policy": policy }, seen) });
    const narrow = { "content-security-policy": "img-src https: 127.0.0.1:*/own/" };
    const narrowest = await sites.open({ ...files, "/": withHeaders(narrow, seen) });
    const pictures = async (site: { url: string }) => {
      const { html, assets } = await shown(site.url, mode);
      const [, sheet = ""] = /href="(\/api\/assets\/[^"]*)"/.exec(html) ?? [];
      const css = await (await fetch(`${product.address}${sheet.replaceAll("&amp;", "&")}`)).text();
      const refused = assets.filter(({ error }) => error?.startsWith("The page's own security policy") === true);
      return [css.split("/api/assets/").length - 1, refused.map(({ url }) => new URL(url).pathname)];
    };
    expect(await pictures(free)).toEqual([2, []]);
    expect(await pictures(strict)).toEqual([2, []]);
    expect(await pictures(narrowest)).toEqual([1, ["/a.png"]]);
  },
  120_000,
);

test.each(["http", "browser"] as const)(
  "a frame is empty whose document is to be in none, and an object shows its document (%s)",
  async (mode) => {
    const framed = "<!doctype html><title>In</title><p>In a frame";
    const site = await sites.open({
      "/": `<!doctype html><title>Frames</title><p>Text</p><iframe src=/deny></iframe><iframe src=/ancestors></iframe><iframe src=/own></iframe><object type=text/html data=/object.html>Nothing</object>`,
      "/deny": withHeaders({ "x-frame-options": "DENY" }, framed),
      "/ancestors": withHeaders({ "content-security-policy": "frame-ancestors 'none'" }, framed),
      "/own": withHeaders({ "x-frame-options": "sameorigin" }, framed),
      "/object.html": framed,
    });
    const { html, assets } = await shown(site.url, mode);
    expect(html.match(/srcdoc=/g)).toHaveLength(2);
    expect(html).toMatch(/<iframe sandbox frameborder="0" srcdoc="[^"]*In a frame[^"]*"><\/iframe><object/);
    const errors = Object.fromEntries(assets.map(({ url, error }) => [new URL(url).pathname, error]));
    expect(errors).toMatchObject({ "/own": null, "/object.html": null });
    expect([errors["/deny"], errors["/ancestors"]]).toEqual([
      "Its server lets no frame of this page show it (X-Frame-Options: DENY), so nobody saw it.",
      "Its server lets no frame of this page show it (frame-ancestors 'none'), so nobody saw it.",
    ]);
  },
  120_000,
);

test.each(["http", "browser"] as const)(
  "pictures and frames are shown that came with the status of an error, other files are not (%s)",
  async (mode) => {
    const gone =
      (type: string, body: string | Buffer): Page =>
      (_request, response) =>
        void response.writeHead(404, { "content-type": type }).end(body);
    const picture = png(20, 20, 0xff00ff);
    const site = await sites.open({
      "/": `<!doctype html><title>Gone</title><link rel=stylesheet href=/a.css><style>p{background:url(/b.png)}</style><p>Text</p><img src=/a.png><img src=/words.png><iframe src=/framed></iframe><object type=image/png data=/c.png>In its place</object>`,
      "/a.css": gone("text/css", "p{color:red}"),
      "/a.png": gone("image/png", picture),
      "/b.png": gone("image/png", picture),
      "/c.png": gone("image/png", picture),
      "/words.png": gone("text/html", "<p>Nothing is here"),
      "/framed": gone("text/html", "<!doctype html><p>In a frame"),
    });
    const { html, assets } = await shown(site.url, mode);
    expect(html).toMatch(/<img src="\/api\/assets\/[^"]*"><img src="data:,"><iframe [^>]*srcdoc="[^"]*In a frame/);
    expect(html).toMatch(/p\{background:url\("?\/api\/assets/);
    expect(html).toMatch(/<object type="?image\/png"?>In its place/);
    expect(html).toContain('<link rel="stylesheet">');
    const kept = Map.groupBy(assets, ({ local_path: path }) => (path === null ? "missing" : "kept"));
    const paths = (list: typeof assets = []) => list.map(({ url }) => new URL(url).pathname);
    expect(paths(kept.get("kept"))).toEqual(expect.arrayContaining(["/a.png", "/b.png", "/framed"]));
    expect(paths(kept.get("missing"))).toEqual(expect.arrayContaining(["/a.css", "/words.png"]));
    // the list says all the same what is wrong at the server
    for (const { error } of kept.get("kept") ?? []) expect(error).toContain("404 Not Found");
  },
  120_000,
);

test("XHTML has the style sheets that it names before its root", async () => {
  const site = await sites.open({
    "/": file(
      "application/xhtml+xml",
      `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="/a.css?x=1&amp;y=2"?><?xml-stylesheet href='/b.css' media="print"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title></head><body><p>Text</p></body></html>`,
    ),
    "/a.css?x=1&y=2": file("text/css", "p{color:green}"),
    "/b.css": file("text/css", "p{color:red}"),
  });
  const { html } = await shown(site.url, "browser");
  expect(html).toMatch(
    /<head><link rel="stylesheet" href="\/api\/assets\/[^"]*"><link rel="stylesheet" href="\/api\/assets\/[^"]*" media="print"><title>/,
  );
}, 120_000);
