import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { gzipSync } from "node:zlib";
import type { ReportGroup } from "@web-tester/contracts/entities/run";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register, runEnded } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { type Page, type Site, createSites } from "../support/site.js";
import { until } from "../support/until.js";

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

const page = (title: string, ...links: string[]) =>
  `<!doctype html><title>${title}</title>${links.map((href) => `<a href="${href}">${href}</a>`).join(" ")}`;
const text =
  (body: string, status = 200): Page =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "text/plain" }).end(body);
  };

async function instances(id: string): Promise<string[]> {
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 1000 } });
  return items.map((item) => new URL(item.url).pathname + new URL(item.url).search).sort();
}

async function paths(runId: string, group: ReportGroup): Promise<string[]> {
  const { items } = await product.rest.call("getRunReport", { params: { id: runId }, query: { group, limit: 1000 } });
  return items.map((item) => new URL(item.url).pathname + new URL(item.url).search).sort();
}

async function crawlOf(id: string) {
  const { runId } = await product.rest.call("crawl", { params: { id } });
  return { runId, run: await runEnded(product, runId) };
}

describe("robots.txt", () => {
  test("is obeyed, the report says so, and the owner may switch it off", async () => {
    const site = await open({
      "/robots.txt": text("User-agent: *\nDisallow: /private/\n"),
      "/": page("Home", "/a", "/private/b", "/gone"),
      "/a": page("A"),
      "/private/b": page("B"),
    });
    const id = await register(product, site.url);
    const { runId } = await crawlOf(id);
    expect(await instances(id)).toEqual(["/", "/a"]);
    expect(site.requests.filter((path) => path === "/private/b")).toEqual([]);
    expect(site.requests.filter((path) => path === "/robots.txt")).toHaveLength(1);
    expect(await paths(runId, "denied")).toEqual(["/private/b"]);
    const failed = await product.rest.call("getRunReport", { params: { id: runId }, query: { group: "failed" } });
    expect(failed.items).toEqual([
      expect.objectContaining({
        url: `${site.url}gone`,
        http_status: 404,
        reason_code: "http_status",
        found_on: site.url,
      }),
    ]);
    expect(failed.counts).toMatchObject({ found: 2, new: 2, denied: 1, failed: 1, gone: 0 });

    await product.rest.call("updateTestObject", { params: { id }, body: { ignore_robots: true } });
    await crawlOf(id);
    expect(await instances(id)).toEqual(["/", "/a", "/private/b"]);
  });

  test("that answers with a server fault forbids everything for now", async () => {
    let asked = 0;
    const fault: Page = (_request, response) => {
      asked += 1;
      response.writeHead(503).end();
    };
    const site = await open({ "/robots.txt": fault, "/": page("Home", "/a"), "/a": page("A") });
    const id = await register(product, site.url);
    const { runId } = await crawlOf(id);
    expect(await instances(id)).toEqual([]);
    expect(asked).toBe(3);
    const report = await product.rest.call("getRunReport", { params: { id: runId }, query: { group: "denied" } });
    expect(report.items[0]?.reason).toMatch(
      /^robots\.txt could not be read, .* a crawl that starts in a minute or later/,
    );
  });

  test("that answers with a server fault once is asked for again, before anything is given up", async () => {
    let asked = 0;
    const busyAtFirst: Page = (_request, response) => {
      asked += 1;
      response.writeHead(asked === 1 ? 503 : 200).end("User-agent: *\nDisallow: /b\n");
    };
    const site = await open({
      "/robots.txt": busyAtFirst,
      "/": page("Home", "/a", "/b"),
      "/a": page("A"),
      "/b": page("B"),
    });
    const id = await register(product, site.url);
    await crawlOf(id);
    expect(await instances(id)).toEqual(["/", "/a"]);
    expect(asked).toBe(2);
  });
});

describe("politeness", () => {
  test("a crawl-delay is kept, whatever the number of crawlers", async () => {
    const times: number[] = [];
    const timed =
      (html: string): Page =>
      (_request, response) => {
        times.push(performance.now());
        response.writeHead(200, { "content-type": "text/html" }).end(html);
      };
    const names = Array.from({ length: 8 }, (_, index) => `/p${index}`);
    const site = await open({
      "/robots.txt": text("User-agent: *\nCrawl-delay: 0.3\n"),
      "/": timed(page("Home", ...names)),
      ...Object.fromEntries(names.map((name) => [name, timed(page(name))])),
    });
    const id = await register(product, site.url);
    await crawlOf(id);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps).toHaveLength(8);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(300);
  });

  test("Retry-After holds everybody back", async () => {
    const times: number[] = [];
    let refusedAt = 0;
    const names = Array.from({ length: 30 }, (_, index) => `/p${index}`);
    const site = await open({
      "/": page("Home", ...names),
      ...Object.fromEntries(
        names.map((name) => [
          name,
          (_request, response) => {
            const now = performance.now();
            if (refusedAt > 0) times.push(now - refusedAt);
            if (name === "/p3" && refusedAt === 0) {
              refusedAt = now;
              response.writeHead(429, { "retry-after": "3" }).end();
            } else setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(page(name)), 100);
          },
        ]),
      ),
    });
    const id = await register(product, site.url);
    await crawlOf(id);
    expect(await instances(id)).toHaveLength(31);
    // requests in flight, and those of processes that learn of the refusal up to half a second later, may still arrive; then there is a pause
    expect(times.filter((time) => time > 1_000 && time < 2_900)).toEqual([]);
    expect(times.filter((time) => time >= 2_900).length).toBeGreaterThan(0);
  });
});

describe("sitemaps", () => {
  const urlset = (...urls: string[]) =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;
  const index = (...urls: string[]) =>
    `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;
  const xml =
    (body: string | Buffer): Page =>
    (_request, response) => {
      response.writeHead(200, { "content-type": "application/xml" }).end(body);
    };

  async function read(id: string) {
    const { runId } = await product.rest.call("runSitemaps", { params: { id } });
    return { runId, run: await runEnded(product, runId) };
  }

  test("indexes, gzip, loops, duplicates, wrong hosts and broken files give what they hold", async () => {
    const site = await open({});
    const at = (path: string) => new URL(path, site.url).href;
    site.pages.set(
      "/index.xml",
      xml(index(at("/one.xml"), at("/two.xml.gz"), at("/index.xml"), at("/cut.xml"), at("/missing.xml"))),
    );
    site.pages.set(
      "/one.xml",
      xml(urlset(at("/a"), at("/b?x=1&y=2"), at("/a"), "http://elsewhere.example/c", at("/secret/d"))),
    );
    site.pages.set("/two.xml.gz", xml(gzipSync(urlset(at("/b?x=1&y=2"), at("/e")))));
    site.pages.set("/cut.xml", xml(`<urlset><url><loc>${at("/f")}</loc></url><url><loc>${at("/g")}`));
    const id = await register(product, site.url);
    await product.rest.call("updateTestObject", {
      params: { id },
      body: { sitemaps: [at("/index.xml")], exclude_list: ["/secret/*"] },
    });
    const { runId, run } = await read(id);
    expect(await instances(id)).toEqual(["/a", "/b?x=1&y=2", "/e", "/f"]);
    expect(run).toMatchObject({ state: "finished", found: 4, failed: 1, total: 9, completed: 9 });
    expect(await paths(runId, "excluded")).toEqual(["/secret/d"]);
    expect(await paths(runId, "out-of-scope")).toEqual(["/c"]);
    const sitemaps = await product.rest.call("getRunReport", { params: { id: runId }, query: { group: "sitemap" } });
    expect(sitemaps.items.find((item) => item.url.endsWith("/cut.xml"))?.reason).toContain("cut off");
    expect(await paths(runId, "failed")).toEqual(["/missing.xml"]);

    const again = await read(id);
    expect(again.run.found).toBe(4);
    expect(await instances(id)).toHaveLength(4);
  });

  test("named in robots.txt are read where the object lists none", async () => {
    const site = await open({});
    const at = (path: string) => new URL(path, site.url).href;
    site.pages.set("/robots.txt", text(`User-agent: *\nAllow: /\nSitemap: ${at("/map.xml")}\n`));
    site.pages.set("/map.xml", xml(urlset(...Array.from({ length: 2_500 }, (_, number) => at(`/page/${number}`)))));
    const id = await register(product, site.url);
    const { run } = await read(id);
    expect(run).toMatchObject({ found: 2_500, total: 2_502, completed: 2_502 });
  });

  test("pages that they name are called by their titles once they were fetched, and by new ones", async () => {
    const site = await open({ "/a?x=1": page("Fish &amp; chips"), "/none": "<p>No title", "/gone": text("", 404) });
    const at = (path: string) => new URL(path, site.url).href;
    site.pages.set("/map.xml", xml(urlset(at("/a?x=1"), at("/none"), at("/gone"))));
    const id = await register(product, site.url);
    await product.rest.call("updateTestObject", { params: { id }, body: { sitemaps: [at("/map.xml")] } });
    await read(id);
    const names = async () =>
      (await product.rest.call("listTestInstances", { params: { id }, query: {} })).items
        .map(({ name }) => name)
        .sort();
    expect(await names()).toEqual(["/a?x=1", "/gone", "/none"]);
    await fetchAll(product, id);
    expect(await names()).toEqual(["/gone", "/none", "Fish & chips"]);
    site.pages.set("/a?x=1", page("Another title"));
    site.pages.set("/none", page("At last"));
    await read(id);
    await fetchAll(product, id);
    await until("the new titles", async () => (await names()).join() === "/gone,Another title,At last");
  });

  test("a site without any says what to do", async () => {
    const site = await open({ "/": page("Home") });
    const id = await register(product, site.url);
    const { runId, run } = await read(id);
    expect(run).toMatchObject({ found: 0, failed: 1 });
    const { items } = await product.rest.call("getRunReport", { params: { id: runId }, query: { group: "failed" } });
    expect(items[0]?.reason).toContain("robots.txt names no sitemap");
  });
});

describe("scope, canonical addresses and budgets", () => {
  test("redirect and canonical targets are one instance, session ids and tracking parameters none", async () => {
    const site = await open({
      "/": page("Home", "/a?utm_source=x", "/a", "/print/a", "/old", "/s?PHPSESSID=0123456789abcdef0123"),
      "/a": page("A"),
      "/print/a": `<!doctype html><title>A</title><link rel="canonical" href="/a">`,
      "/old": (_request, response) => {
        response.writeHead(301, { location: "/a" }).end();
      },
      "/s": page("S"),
    });
    const id = await register(product, site.url);
    await product.rest.call("updateTestObject", { params: { id }, body: { drop_params: ["utm_*"] } });
    const { runId } = await crawlOf(id);
    expect(await instances(id)).toEqual(["/", "/a", "/s"]);
    expect(await paths(runId, "canonical")).toEqual(["/print/a"]);
    expect(await paths(runId, "redirected")).toEqual(["/old"]);
  });

  test("what is out of scope or excluded is listed, and what is gone too", async () => {
    const site = await open({
      "/docs/": page("Docs", "/docs/a", "/blog/", "/docs/x/1"),
      "/docs/a": page("A"),
      "/docs/x/1": page("X"),
      "/blog/": page("Blog"),
    });
    const id = await register(product, `${site.url}docs/`);
    await crawl(product, id);
    expect(await instances(id)).toEqual(["/docs/", "/docs/a", "/docs/x/1"]);
    site.pages.set("/docs/", page("Docs", "/docs/x/1", "/blog/"));
    await product.rest.call("updateTestObject", { params: { id }, body: { exclude_list: ["/docs/x/*"] } });
    const second = await crawlOf(id);
    expect(await paths(second.runId, "gone")).toEqual(["/docs/a"]);
    expect(await paths(second.runId, "excluded")).toEqual(["/docs/x/1"]);
    expect(await paths(second.runId, "out-of-scope")).toEqual(["/blog/"]);
    await product.rest.call("updateTestObject", { params: { id }, body: { exclude_list: [], scope: "host" } });
    await crawl(product, id);
    expect(await instances(id)).toContain("/blog/");
  });

  const endless =
    (title: string, links: (number: number) => string[]): Page =>
    (request, response) => {
      const number = Number(/(\d+)\D*$/.exec(request.url ?? "")?.[1] ?? 0);
      response.writeHead(200, { "content-type": "text/html" }).end(page(title, ...links(number)));
    };

  test.each<[string, (site: Site) => void]>([
    [
      "a calendar",
      (site) =>
        dynamic(
          site,
          endless("Calendar", (n) => [`/month/${n + 1}`, `/day/${n}/1`, `/day/${n}/2`]),
        ),
    ],
    [
      "session ids",
      (site) =>
        dynamic(
          site,
          endless("Session", (n) => [`/p?n=1&sid=${"0123456789abcdef"}${n + 1}`]),
        ),
    ],
    [
      "repeating segments",
      (site) =>
        dynamic(
          site,
          (request, response) =>
            void response
              .writeHead(200, { "content-type": "text/html" })
              .end(page("Loop", `${(request.url ?? "/").replace(/\/?$/, "/")}a/b`)),
        ),
    ],
    [
      "permuted queries",
      (site) =>
        dynamic(
          site,
          (_request, response) =>
            void response
              .writeHead(200, { "content-type": "text/html" })
              .end(page("Filters", "/f?a=1&b=2", "/f?b=2&a=1", "/f?a=1&a=1&a=1&a=1&b=2")),
        ),
    ],
    [
      "endless pages",
      (site) =>
        dynamic(
          site,
          endless("Random", (n) => Array.from({ length: 10 }, (_, k) => `/r/${n * 10 + k + 1}`)),
        ),
    ],
    [
      "an endless redirect",
      (site) =>
        dynamic(
          site,
          (request, response) =>
            void (request.url === "/"
              ? response.writeHead(200, { "content-type": "text/html" }).end(page("Home", "/hop0"))
              : response.writeHead(302, { location: `${request.url}0` }).end()),
        ),
    ],
  ])("%s ends inside the budget", async (_name, prepare) => {
    const site = await open({});
    prepare(site);
    const id = await register(product, site.url);
    await product.rest.call("updateTestObject", {
      params: { id },
      body: { crawl_pages_max: 200, crawl_depth_max: 12 },
    });
    const { run, runId } = await crawlOf(id);
    expect(run.state).toBe("finished");
    expect(run.total).toBeLessThanOrEqual(200);
    const report = await product.rest.call("getRunReport", { params: { id: runId } });
    if (_name !== "session ids" && _name !== "an endless redirect") expect(report.ended).not.toBeNull();
  });

  function dynamic(site: Site, answer: Page): void {
    const known = site.pages;
    known.get = (path) => (path === "/robots.txt" ? undefined : answer);
  }

  test("a budget of bytes or time closes what is left", async () => {
    const names = Array.from({ length: 40 }, (_, number) => `/p${number}`);
    const large = `${page("Large")}<p>${"x".repeat(200_000)}`;
    const site = await open({ "/": page("Home", ...names), ...Object.fromEntries(names.map((name) => [name, large])) });
    const id = await register(product, site.url);
    await product.rest.call("updateTestObject", { params: { id }, body: { crawl_mib_max: 1 } });
    const { runId, run } = await crawlOf(id);
    expect(run.completed).toBe(run.total);
    const report = await product.rest.call("getRunReport", { params: { id: runId } });
    expect(report.run.ended_by).toBe("bytes");
    expect(report.counts.budget).toBeGreaterThan(0);
    expect(report.ended).toContain("bytes");
  });
});

test("everything adds up in the end", async () => {
  expect(await invariantFaults(product)).toEqual([]);
});
