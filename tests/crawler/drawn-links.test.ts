import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { file } from "../support/asset-site.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { type Page, createSites } from "../support/site.js";

let product: Product;
const sites = createSites();
const { open } = sites;

beforeAll(async () => {
  product = await shareProduct();
}, 240_000);
afterAll(async () => {
  await product?.stop();
  await sites.close();
});

const words = "A page with words of its own, as servers send them to everybody. ".repeat(8);
const page = (title: string, rest = "") =>
  `<!doctype html><title>${title}</title><h1>${title}</h1><p>${words}</p><a href="/">Home</a><a href="/about">About</a>
  <a href="/list">List</a><a href="/more">More</a>${rest}<script src="/app.js"></script>`;
const script: Page = (_request, response) => {
  response.writeHead(200, { "content-type": "text/javascript" });
  response.end(`for (const place of document.querySelectorAll("[data-items]"))
    fetch("/items.json").then((answer) => answer.json()).then((items) => {
      for (const item of items) place.append(Object.assign(document.createElement("a"), { href: place.dataset.items + item, textContent: item }));
    });`);
};
const shop = {
  "/": page("Home"),
  "/about": page("About"),
  "/list": page("List", `<div class="list" data-items="item/"></div>`),
  "/more": page("More", `<div class="list" data-items="/extra/?q=ä&id="></div><a href="http://127.0.0.9:9/out">x</a>`),
  "/app.js": script,
  "/items.json": ((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end("[1, 2]");
  }) as Page,
  ...Object.fromEntries([1, 2].map((item) => [`/item/${item}`, page(`Item ${item}`)])),
  ...Object.fromEntries([1, 2].map((item) => [`/extra/?q=%C3%A4&id=${item}`, page(`Extra ${item}`)])),
};

async function found(id: string): Promise<string[]> {
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 100 } });
  return items.map(({ url }) => new URL(url).pathname + new URL(url).search).sort();
}

const own = ["/", "/about", "/list", "/more"];
const drawn = ["/extra/?q=%C3%A4&id=1", "/extra/?q=%C3%A4&id=2", "/item/1", "/item/2"];

test("links that scripts add to pages with words of their own are found", async () => {
  const site = await open(shop);
  const id = await register(product, site.url);
  await crawl(product, id);
  expect(await found(id)).toEqual([...own, ...drawn].toSorted());
});

test("where scripts add no links, one page of a kind is looked at", async () => {
  const pages = { "/": page("Home"), "/about": page("About"), "/list": page("List"), "/more": page("More") };
  const site = await open({ ...pages, "/app.js": script });
  const id = await register(product, site.url);
  await crawl(product, id);
  expect(await found(id)).toEqual(own);
  expect(site.requests.filter((asked) => asked === "/app.js")).toHaveLength(1);
});

test("links that the crawl may not take bring no further looks", async () => {
  const menu = `<div class="list" data-items="/denied/"></div>`;
  const names = Array.from({ length: 12 }, (_, index) => `/page${index}`);
  const links = names.map((path) => `<a href="${path}">${path}</a>`).join("");
  const site = await open({
    "/": page("Home", menu + links),
    ...Object.fromEntries([...own.slice(1), ...names].map((path) => [path, page(path, menu)])),
    "/robots.txt": (_request, response) =>
      void response.writeHead(200, { "content-type": "text/plain" }).end("User-agent: *\nDisallow: /denied/"),
    "/app.js": script,
    "/items.json": shop["/items.json"],
  });
  const id = await register(product, site.url);
  await crawl(product, id);
  expect(await found(id)).toEqual([...own, ...names].toSorted());
  // the browser is used for the first page, then for five more without success, plus those that are visited concurrently
  const looks = site.requests.filter((asked) => asked === "/app.js").length;
  expect(looks).toBeGreaterThanOrEqual(6);
  expect(looks).toBeLessThan(15);
});

test("a crawl without a browser does not look", async () => {
  const site = await open(shop);
  const id = await register(product, site.url);
  await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
  await crawl(product, id);
  expect(await found(id)).toEqual(own);
  expect(site.requests.filter((asked) => asked === "/app.js")).toEqual([]);
});

test("a fetch takes from the crawl what scripts do, and looks only where they add a few words", async () => {
  const building = `document.querySelector("main").innerHTML = "<p>" + "built by scripts ".repeat(90) + "</p>"`;
  const site = await open({
    "/": page("Home"),
    "/about": page("About"),
    "/list": page("List", `<main data-all></main><script src="/build.js"></script>`),
    "/more": page("More", `<p><b data-price></b></p><script src="/price.js"></script>`),
    "/app.js": script,
    "/build.js": file("text/javascript", building),
    "/price.js": file("text/javascript", `document.querySelector("b").textContent = "12.99"`),
  });
  const id = await register(product, site.url);
  await product.rest.call("updateTestObject", { params: { id }, body: { asset_snapshots: false } });
  await crawl(product, id);
  const scripts = ["/app.js", "/build.js", "/price.js"];
  const asked = () => scripts.map((path) => site.requests.filter((request) => request === path).length);
  expect(asked()).toEqual([3, 1, 1]);
  site.requests.length = 0;
  await fetchAll(product, id);
  expect(asked()).toEqual([2, 1, 1]);
  const kept = await product.db.query<{ path: string; mode: string; warning: string | null }>(
    `SELECT substr(i.url, length($2)) AS path, s.fetch_mode_used AS mode, s.warning FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
     WHERE i.test_object_id = $1 ORDER BY path`,
    [id, site.url],
  );
  expect(kept.map(({ path, mode }) => [path, mode])).toEqual([
    ["/", "http"],
    ["/about", "http"],
    ["/list", "browser"],
    ["/more", "http"],
  ]);
  expect(kept.map(({ warning }) => warning)).toEqual([null, null, null, expect.stringContaining("“12.99”")]);
});

test("a crawl waits for what an object's pages are ready with", async () => {
  const late = `setTimeout(() => document.querySelector("[data-late]").innerHTML = '<a href="/late" class="late">Late</a>', 6000)`;
  const site = await open({
    "/": page("Home", `<div data-late></div>`),
    ...Object.fromEntries(
      ["/about", "/list", "/more", "/late"].map((path) => [path, page(path, `<a class="late"></a>`)]),
    ),
    "/app.js": file("text/javascript", late),
  });
  const id = await register(product, site.url);
  await crawl(product, id);
  expect(await found(id)).toEqual(own);
  await product.rest.call("updateTestObject", {
    params: { id },
    body: { ready_when: "selector", ready_selector: "a.late" },
  });
  await crawl(product, id);
  expect(await found(id)).toEqual([...own, "/late"].toSorted());
});
