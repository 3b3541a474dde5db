import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { file } from "../support/asset-site.js";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { createSites } from "../support/site.js";

/** Chromium returns decoded texts rather than the received bytes: pages and files in old charsets must be the same in the browser as over HTTP. */
let product: Product;
const sites = createSites();

beforeAll(async () => {
  product = await shareProduct();
}, 240_000);
afterAll(async () => {
  await sites.close();
});

/** Encodes ASCII and Cyrillic text as windows-1251, which has the Cyrillic letters from 0xC0 on. */
const cyrillic = (text: string) =>
  Buffer.from(Array.from(text, (letter) => ((letter.codePointAt(0) ?? 0) - (letter < "\x80" ? 0 : 0x350)) & 0xff));
const sentence = "Предложение, которое прислал сервер, на своём месте. ".replaceAll("ё", "е");
const page = (script: string, head = "") =>
  cyrillic(
    `<!doctype html><html><head>${head}<title>Page</title></head><body><p>${sentence.repeat(30)}</p><script>${script}</script></body></html>`,
  );

async function fetched(url: string, pages: readonly string[], mode: "auto" | "browser") {
  const id = await register(product, url, mode);
  await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: mode, asset_snapshots: true } });
  await product.db.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) u",
    [id, pages.map((path) => new URL(path, url).href)],
  );
  await fetchAll(product, id);
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 100 } });
  return Promise.all(
    items.map(async (item) => {
      const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id: item.id } });
      return { path: new URL(item.url).pathname, snapshot: testsnapshots[0] };
    }),
  );
}

test("auto asks over HTTP for pages of another charset than UTF-8 whose scripts change nothing", async () => {
  const site = await sites.open({
    "/by-header": file("text/html; charset=windows-1251", page("let one = 1;")),
    "/by-meta": file("text/html", page("let two = 2; two += 1;", "<meta charset=windows-1251>")),
    "/built": file(
      "text/html; charset=windows-1251",
      page("document.body.innerHTML += document.body.innerText + ' more';"),
    ),
  });
  const found = await fetched(site.url, ["/by-header", "/by-meta", "/built"], "auto");
  expect(Object.fromEntries(found.map(({ path, snapshot }) => [path, snapshot?.fetch_mode_used]))).toEqual({
    "/by-header": "http",
    "/by-meta": "http",
    "/built": "browser",
  });
}, 120_000);

test("stylesheets and frames of another charset that the browser loaded say what they said", async () => {
  const css = `.a::after { content: "Привет" }`;
  const site = await sites.open({
    "/": `<!doctype html><link rel=stylesheet href=/header.css><link rel=stylesheet href=/own.css><link rel=stylesheet href=/wide.css><p class=a>Text</p><iframe src=/header.html></iframe><iframe src=/meta.html></iframe>`,
    "/header.css": file("text/css; charset=windows-1251", cyrillic(css)),
    "/own.css": file("text/css", cyrillic(`@charset "windows-1251"; ${css}`)),
    "/wide.css": file("text/css; charset=utf-16le", Buffer.from(`\uFEFF${css}`, "utf16le")),
    "/header.html": file("text/html; charset=windows-1251", cyrillic("<!doctype html><p>Первый")),
    "/meta.html": file("text/html", cyrillic("<!doctype html><meta charset=windows-1251><p>Второй")),
  });
  const [found] = await fetched(site.url, ["/"], "browser");
  const id = found?.snapshot?.id ?? "";
  const snapshot = await product.rest.call("getTestSnapshot", { params: { id } });
  if (Array.isArray(snapshot)) throw new Error("These are its assets");
  const text = async (path: string | null | undefined) => (await fetch(`${product.address}${path}`)).text();
  const shown = await text(snapshot.render);
  expect([shown.includes("Первый"), shown.includes("Второй")]).toEqual([true, true]);
  const sheets = [...shown.matchAll(/href="(\/api\/assets\/[^"]+)"/g)].map(([, path]) =>
    path?.replaceAll("&amp;", "&"),
  );
  expect(sheets).toHaveLength(3);
  for (const sheet of sheets) expect(await text(sheet)).toContain("Привет");
}, 120_000);
