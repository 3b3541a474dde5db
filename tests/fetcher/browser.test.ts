import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readdir, readFile } from "node:fs/promises";
import { file, png } from "../support/asset-site.js";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register, runEnded, startCrawl, startFetch } from "../support/job.js";
import { type Product, startProduct } from "../support/product.js";
import { type Page, createSites } from "../support/site.js";
import { until } from "../support/until.js";

let product: Product;
const sites = createSites();
const { open } = sites;

beforeAll(async () => {
  product = await startProduct();
}, 240_000);
afterAll(async () => {
  await product?.stop();
  await sites.close();
});

/** A page that has neither text nor links until its script has run. */
const shell = (text: string, ...links: string[]) =>
  `<!doctype html><title>Shell</title><div id="root"></div><script>
    setTimeout(() => {
      document.title = ${JSON.stringify(text)};
      document.getElementById("root").innerHTML = ${JSON.stringify(`<p>${text}</p>${links.map((href) => `<a href="${href}">${href}</a>`).join("")}`)};
    }, 50);
  </script>`;
const plain = (text: string) =>
  `<!doctype html><title>${text}</title><p>${"A page with words of its own that needs no script. ".repeat(8)}</p><p>${text}</p>`;

async function newest(id: string, path: string) {
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 100 } });
  const item = items.find(({ url }) => new URL(url).pathname === path);
  if (item === undefined) throw new Error(`There is no instance ${path}`);
  const instance = await product.rest.call("getTestInstance", { params: { id: item.id } });
  const [first] = instance.testsnapshots;
  if (first === undefined) throw new Error(`${path} has no snapshot`);
  const snapshot = await product.rest.call("getTestSnapshot", { params: { id: first.id } });
  if (Array.isArray(snapshot)) throw new Error("These are its assets");
  return snapshot;
}

/** Returns the process IDs of the browsers: the main process of each is a child of the fetcher. */
async function browsers(): Promise<number[]> {
  const fetcher = product.pidOf("fetcher");
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    if (parent === fetcher) found.push(Number(name));
  }
  return found;
}

test("a page is kept when it is ready as its object says: at rest, when an element is there, or after a time", async () => {
  const late = (ms: number, html: string) =>
    `<script>setTimeout(() => document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)}), ${ms})</script>`;
  const site = await open({
    // a counter that never stops, so the page never comes to rest, and an element that appears after 4.5 s
    "/": `${plain("Prices")}<p id=clock>0</p><script>let n = 0; setInterval(() => { clock.textContent = ++n }, 100)</script>${late(4_500, "<b id=price>12</b>")}`,
  });
  const id = await register(product, site.url);
  await crawl(product, id);
  const fetchedWith = async (body: Record<string, unknown>) => {
    await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "browser", ...body } });
    await fetchAll(product, id);
    return newest(id, "/");
  };
  expect((await fetchedWith({ ready_when: "time", ready_ms: 500 })).html).not.toContain('id="price"');
  expect((await fetchedWith({ ready_when: "selector", ready_selector: "#price" })).html).toContain('id="price"');
  expect((await fetchedWith({ ready_when: "time", ready_ms: 6_000 })).html).toContain('id="price"');
  const faulty = await fetchedWith({ ready_when: "selector", ready_selector: "#price[" });
  expect(faulty).toMatchObject({ state: "failed", error_code: "not_ready" });
  expect(faulty.error).toContain("is not a CSS selector");
  await expect(fetchedWith({ ready_when: "selector", ready_selector: " " })).rejects.toThrow(
    "Enter the CSS selector of the element to wait for",
  );
}, 240_000);

test("a site drawn by scripts is discovered and kept as a browser shows it, and auto remembers which pages need one", async () => {
  const site = await open({
    "/": shell("Home of scripts", "/a", "/b", "/plain"),
    "/a": shell("First"),
    "/b": shell("Second"),
    "/plain": plain("Nothing moves"),
  });
  const id = await register(product, site.url);
  await crawl(product, id);
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 100 } });
  expect(Object.fromEntries(items.map(({ url, name }) => [new URL(url).pathname, name]))).toEqual({
    "/": "Home of scripts",
    "/a": "First",
    "/b": "Second",
    "/plain": "Nothing moves",
  });

  site.requests.length = 0;
  await fetchAll(product, id);
  const first = await newest(id, "/a");
  expect(first).toMatchObject({ state: "done", fetch_mode_used: "browser", http_status: 200, warning: null });
  expect(first.html).toMatch(/^<!DOCTYPE html>\n<html><head><title>First<\/title>/);
  expect(first.html).toContain('<div id="root"><p>First</p></div>');
  expect(JSON.parse(first.headers)).toEqual({ "content-type": "text/html; charset=utf-8", date: expect.any(String) });
  expect(await newest(id, "/plain")).toMatchObject({ state: "done", fetch_mode_used: "http" });
  // over HTTP first, then in the browser
  expect(site.requests.filter((path) => path === "/a")).toHaveLength(2);

  site.requests.length = 0;
  await fetchAll(product, id);
  expect(await newest(id, "/a")).toMatchObject({ fetch_mode_used: "browser", change: "unchanged" });
  expect(site.requests.filter((path) => path === "/a")).toHaveLength(1);

  await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
  await fetchAll(product, id);
  expect(await newest(id, "/a")).toMatchObject({ fetch_mode_used: "http" });
  expect(await invariantFaults(product)).toEqual([]);
});

test("a site that gives its visitors a cookie first is discovered as a browser sees it", async () => {
  const behind =
    (html: string): Page =>
    (request, response) => {
      const isKnown = request.headers.cookie?.includes("known=1") === true;
      if (isKnown) response.writeHead(200, { "content-type": "text/html" }).end(html);
      else response.writeHead(302, { location: request.url ?? "/", "set-cookie": "known=1; Path=/" }).end();
    };
  const site = await open({
    "/": behind(`<!doctype html><title>Home</title><a href="/a">A</a>`),
    "/a": behind("<!doctype html><title>A</title>"),
  });
  const id = await register(product, site.url);
  const runId = await startCrawl(product, id);
  await runEnded(product, runId);
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 100 } });
  expect(Object.fromEntries(items.map(({ url, name }) => [new URL(url).pathname, name]))).toEqual({
    "/": "Home",
    "/a": "A",
  });
  const report = await product.rest.call("getRunReport", { params: { id: runId }, query: { group: "found" } });
  expect(report.items.map(({ http_status }) => http_status)).toEqual([200, 200]);

  await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
  expect(await crawl(product, id)).toMatchObject({ found: 0, failed: 1 });
});

test("XHTML that browsers do not show as a page says so, and holds what they show", async () => {
  const xhtml = (body: string, namespace = ` xmlns="http://www.w3.org/1999/xhtml"`) =>
    file(
      "application/xhtml+xml",
      `<html${namespace}><head><title>Page</title></head><body><p>Before</p>${body}</body></html>`,
    );
  const site = await open({
    "/fault": xhtml("</i><p>After</p>"),
    "/tree": xhtml("<p>Grüße</p>", ""),
    "/good": xhtml("<br/><p>After</p>"),
  });
  const id = await register(product, site.url);
  await product.db.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) u",
    [id, ["fault", "tree", "good"].map((path) => site.url + path)],
  );
  await fetchAll(product, id);
  const [fault, tree, good] = [await newest(id, "/fault"), await newest(id, "/tree"), await newest(id, "/good")];
  expect(good).toMatchObject({ state: "done", fetch_mode_used: "browser", warning: null });
  expect(good.html).toContain("After");
  expect(fault.warning).toMatch(
    /^The server says that this page is XHTML, but it is not well-formed \(error on line 1 /,
  );
  expect([fault.html?.includes("Before"), fault.html?.includes("After")]).toEqual([true, false]);
  expect(tree.warning).toContain("browsers show its source in place of a page");
  expect(tree.html).toMatch(/^<html><head><title>Page<.title>.*Grüße/);
});

test("auto tries one page of a kind, and keeps pages as their scripts build them, or says what they add", async () => {
  const built = (text: string) =>
    `${plain(text)}<div class="list"></div><script>document.querySelector(".list").innerHTML = "<p>" + "built ".repeat(30) + "</p>"</script>`;
  const site = await open({
    "/": built("Home"),
    "/a": built("First"),
    "/b": built("Second"),
    "/few": `${plain("Few").repeat(4)}<b class="price"></b><script src="/price.js"></script>`,
    "/price.js": file("text/javascript", `document.querySelector("b").textContent = "12.99"`),
    "/none": `${plain("None")}<script>let nothing = "seen"</script>`,
  });
  const id = await register(product, site.url);
  await product.db.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) u",
    [id, ["", "a", "b", "few", "none"].map((path) => site.url + path)],
  );
  await fetchAll(product, id);
  for (const path of ["/", "/a", "/b"]) {
    const snapshot = await newest(id, path);
    expect(snapshot).toMatchObject({ state: "done", fetch_mode_used: "browser", warning: null });
    expect(snapshot.html).toContain("<p>built built");
  }
  const few = await newest(id, "/few");
  expect(few).toMatchObject({ state: "done", fetch_mode_used: "http" });
  expect(few.warning).toContain("Scripts add a few words to pages like this one, which are not kept: “12.99”");
  expect(await newest(id, "/none")).toMatchObject({ fetch_mode_used: "http", warning: null });
  site.requests.length = 0;
  await fetchAll(product, id);
  // the fetcher remembers which pages need a browser, so each is requested once
  expect(["/a", "/few", "/none"].map((path) => site.requests.filter((asked) => asked === path).length)).toEqual([
    1, 1, 1,
  ]);
  expect(await newest(id, "/a")).toMatchObject({ fetch_mode_used: "browser", change: "unchanged" });
});

test("auto keeps a page as the browser shows it where scripts bring into sight what the server sent", async () => {
  const inSight = (css: string, script: string) =>
    `<style>${css}</style>${plain("Words")}<h2 class="late">${"Seen a moment later. ".repeat(3)}</h2><img width="90" height="60"><script>${script}</script>`;
  const site = await open({
    "/": inSight(
      ".late { opacity: 0; transition: opacity 0.3s } .seen { opacity: 1 }",
      `new IntersectionObserver(([{ target }]) => target.classList.add("seen")).observe(document.querySelector("h2"))`,
    ),
    "/ready": inSight(
      "body { visibility: hidden } .ready { visibility: visible }",
      `addEventListener("load", () => (document.body.className = "ready"))`,
    ),
    "/picture": inSight(
      "img { opacity: 0 } .loaded { opacity: 1 }",
      `document.querySelector("img").onerror = ({ target }) => (target.className = "loaded"); document.querySelector("img").src = "/none.png"`,
    ),
    "/open": inSight(
      ".late { display: none } [data-state] ~ .late { display: block }",
      `document.querySelector("p").dataset.state = "open"`,
    ),
    "/over": inSight("", `document.querySelector(".late").showPopover()`).replace("<h2", "<h2 popover"),
    "/same": inSight(".seen { color: green }", `document.querySelector("h2").classList.add("seen")`),
  });
  const id = await register(product, site.url);
  await product.db.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) u",
    [id, ["", "ready", "picture", "open", "over", "same"].map((path) => site.url + path)],
  );
  await fetchAll(product, id);
  const used = async (path: string) => (await newest(id, path)).fetch_mode_used;
  expect(await Promise.all(["/", "/ready", "/picture", "/open", "/over"].map(used))).toEqual(Array(5).fill("browser"));
  expect(await used("/same")).toBe("http");
});

test("files are kept as the browser loaded them, once; what it did not load is asked for over HTTP", async () => {
  const picture = (rgb: number) => file("image/png", png(9, 9, rgb));
  const site = await open({
    "/": `<!doctype html><title>Files</title><link rel="stylesheet" href="/main.css"><p>Words</p>
<noscript><img src="/noscript.png"></noscript><img src="/gone.png"><iframe src="/frame.html"></iframe>
<div style="height: 30000px"></div><img loading="lazy" src="/lazy.png"><img data-src="/later.png">
<video src="/film.mp4" preload="none"></video>
<script>
  new Image().src = "/beside.png";
  document.querySelector("p").innerHTML = '<img src="/made.png?v=1#part">';
  document.adoptedStyleSheets = [new CSSStyleSheet()];
  document.adoptedStyleSheets[0].replaceSync("p { background: url(/adopted.png) }");
  fetch("/data.json");
</script>`,
    "/main.css": file(
      "text/css",
      `@import "more.css"; @font-face { font-family: F; src: url(font.woff2) } p { font-family: F }`,
    ),
    "/more.css": file("text/css", "p { border-image: url(border.png) 1; border: 1px solid }"),
    "/border.png": picture(1),
    "/font.woff2": file("font/woff2", "wOF2 no font"),
    "/frame.html": `<!doctype html><title>Frame</title><img src="/framed.png">`,
    "/framed.png": picture(2),
    "/noscript.png": picture(3),
    "/lazy.png": picture(4),
    "/later.png": picture(5),
    "/film.mp4": file("video/mp4", Buffer.alloc(3_000, 7)),
    "/beside.png": picture(6),
    "/made.png?v=1": picture(7),
    "/adopted.png": picture(8),
    "/data.json": file("application/json", "{}"),
  });
  const id = await register(product, site.url);
  await product.rest.call("updateTestObject", {
    params: { id },
    body: { fetch_mode: "browser", asset_snapshots: true },
  });
  await product.db.query(`INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, 'Files')`, [
    id,
    site.url,
  ]);
  expect(await fetchAll(product, id)).toMatchObject({ total: 1, failed: 0 });
  const snapshot = await newest(id, "/");
  expect(snapshot).toMatchObject({ fetch_mode_used: "browser", warning: null });
  const assets = await product.rest.call("getTestSnapshot", {
    params: { id: snapshot.id },
    query: { _action: "assets" },
  });
  if (!Array.isArray(assets)) throw new Error("No list of assets came");
  const pathOf = (url: string) => url.slice(site.url.length - 1);
  const byBrowser = [
    "/main.css",
    "/more.css",
    "/border.png",
    "/font.woff2",
    "/frame.html",
    "/framed.png",
    "/made.png?v=1",
    "/beside.png",
    "/adopted.png",
  ];
  const overHttp = ["/lazy.png", "/later.png", "/film.mp4"];
  expect(
    assets
      .filter(({ error }) => error === null)
      .map(({ url }) => pathOf(url))
      .sort(),
  ).toEqual([...byBrowser, ...overHttp].sort());
  expect(assets.flatMap(({ url, error }) => (error === null ? [] : [[pathOf(url), error]]))).toEqual([
    ["/gone.png", expect.stringContaining("404 Not Found")],
  ]);
  const asked = Object.fromEntries(
    // the full Chromium requests a favicon by itself, the headless shell does not
    [
      ...Map.groupBy(
        site.requests.filter((path) => path !== "/favicon.ico"),
        (path) => path,
      ),
    ].map(([path, all]) => [path, all.length]),
  );
  expect(asked).toEqual(
    Object.fromEntries(["/", "/gone.png", "/data.json", ...byBrowser, ...overHttp].map((path) => [path, 1])),
  );
  const shown = await (await fetch(`${product.address}${snapshot.render ?? ""}`)).text();
  expect(shown).toMatch(/<template[^>]*>[^]*<\/template>/);
  expect(shown).not.toContain("noscript.png");
  const made = assets.find(({ url }) => url.includes("made.png"));
  expect(shown).toContain(`${made?.address ?? "no address"}`);
  const bytes = Buffer.from(await (await fetch(product.address + (made?.address ?? ""))).arrayBuffer());
  expect(bytes).toEqual(png(9, 9, 7));
  expect(await invariantFaults(product)).toEqual([]);
});

test("a picture that the browser cannot draw has the bytes that its server sent, and an empty file has none", async () => {
  const site = await open({
    "/": `<!doctype html><title>Broken</title><p>Words</p><img src="/broken.png"><link rel="stylesheet" href="/empty.css">`,
    "/broken.png": file("image/png", "no picture"),
    "/empty.css": file("text/css", ""),
  });
  const id = await register(product, site.url);
  await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "browser" } });
  await crawl(product, id);
  site.requests.length = 0;
  expect(await fetchAll(product, id)).toMatchObject({ total: 1, failed: 0 });
  const snapshot = await newest(id, "/");
  const assets = await product.rest.call("getTestSnapshot", {
    params: { id: snapshot.id },
    query: { _action: "assets" },
  });
  if (!Array.isArray(assets)) throw new Error("No list of assets came");
  expect(Object.fromEntries(assets.map(({ url, content_len }) => [new URL(url).pathname, content_len]))).toEqual({
    "/broken.png": "no picture".length,
    "/empty.css": 0,
  });
  expect(site.requests.filter((path) => path === "/empty.css")).toHaveLength(1);
});

test("the fetcher says which browser it has, how old it is, and whether it has its sandbox", async () => {
  const origin = product.stack.parts().find(({ name }) => name === "fetcher")?.origin ?? "";
  const answer = await fetch(`${origin}/readyz`);
  expect(answer.status).toBe(200);
  const note = expect.stringMatching(
    /^Chromium \d+\.[\d.]+ \(of about .* old|new\) runs (?:with|WITHOUT) its sandbox.*, as /,
  );
  expect(await answer.json()).toMatchObject({ status: "ready", notes: [{ name: "browser", note }] });
});

test("a killed browser is started anew, and no page is lost", async () => {
  const slow: Page = (_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.write("<!doctype html><title>Slow</title><p>Slow</p>");
    setTimeout(() => response.end(), 400);
  };
  const names = Array.from({ length: 6 }, (_, index) => `/s${index}`);
  const site = await open({
    "/": plain("Home") + names.map((name) => `<a href="${name}">${name}</a>`).join(""),
    ...Object.fromEntries(names.map((name) => [name, slow])),
  });
  const id = await register(product, site.url);
  await crawl(product, id);
  await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "browser" } });
  site.requests.length = 0;
  const runId = await startFetch(product, id);
  await until("a page in the browser", async () =>
    site.requests.some((path) => path.startsWith("/s")) ? true : undefined,
  );
  const before = await browsers();
  expect(before.length).toBeGreaterThan(0);
  for (const pid of before) process.kill(pid, "SIGKILL");
  const run = await runEnded(product, runId);
  expect(run).toMatchObject({ total: 7, completed: 7, failed: 0 });
  expect(await newest(id, "/s5")).toMatchObject({ fetch_mode_used: "browser", state: "done" });
  expect(await invariantFaults(product)).toEqual([]);
});
