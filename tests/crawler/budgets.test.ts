import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { gzipSync } from "node:zlib";
import { answer, answerAll, type Discovery, htmlPage, startDiscovery } from "../support/discovery.js";
import { invariantFaults } from "../support/invariants.js";
import { reached, runEnded } from "../support/job.js";
import { type Page, slowly } from "../support/site.js";
import { until } from "../support/until.js";

/** Crawls and sitemap crawls that would never end by themselves, or that are disturbed. */
let discovery: Discovery;
beforeAll(async () => {
  discovery = await startDiscovery({ EGRESS_ALLOW: "127.0.0.0/8" });
}, 240_000);
afterAll(() => discovery?.close());

const titled = (title: string, head: string) => `<!doctype html><title>${title}</title>${head}<body>`;

describe("budgets", () => {
  test("of time ends a crawl between two pages", async () => {
    const names = Array.from({ length: 60 }, (_, number) => `/p${number}`);
    const { id } = await discovery.object(
      slowly(
        { "/": htmlPage("Home", ...names), ...Object.fromEntries(names.map((name) => [name, htmlPage(name)])) },
        50,
      ),
      { crawl_minutes_max: 1, request_delay_ms: 20 },
    );
    const { runId } = await discovery.product.rest.call("crawl", { params: { id } });
    await reached(discovery.product, runId, 5);
    // makes the run two minutes older than it is, so that its budget of a minute is spent
    await discovery.product.db.query(`UPDATE run SET created_at = created_at - interval '2 minutes' WHERE id = $1`, [
      runId,
    ]);
    const run = await runEnded(discovery.product, runId);
    expect(run).toMatchObject({ state: "finished", total: 61, completed: 61 });
    const report = await discovery.report(runId, { group: "budget", limit: 100 });
    expect(report).toMatchObject({ run: { ended_by: "time" }, ended: expect.stringContaining("time budget") });
    expect(report.items.length).toBe(61 - run.found);
    expect(report.items[0]?.reason).toContain("budget");
  });

  test("of pages and depth say so, and what was left out", async () => {
    const { id, site } = await discovery.object({}, { crawl_depth_max: 2 });
    answerAll(site, (request, response) => {
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(htmlPage("Deep", `${request.url === "/" ? "" : request.url}/d`));
    });
    const deep = await discovery.crawl(id);
    expect(await discovery.instances(id)).toEqual(["/", "/d", "/d/d"]);
    expect((await discovery.report(deep.runId)).ended).toContain("depth");
    await discovery.set(id, { crawl_pages_max: 2 });
    const small = await discovery.crawl(id);
    expect(small.run.total).toBe(2);
    expect(await discovery.paths(small.runId, "budget")).toEqual(["/d/d"]);
  });
});

test("a hostile robots.txt and a page of thousands of long links hold up no other crawl", async () => {
  const words = "ab".repeat(236);
  const robots = `User-agent: *\n${Array.from({ length: 1_000 }, (_, rule) => `Disallow: /*${words}*${rule}x\n`).join("")}`;
  expect(robots.length).toBeGreaterThan(480_000);
  const links = Array.from({ length: 5_116 }, (_, link) => `/${"ab".repeat(900)}${link}`);
  let asked = 0;
  const home: Page = (_request, response) => {
    asked += 1;
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(links.map((href) => `<a href="${href}">x</a>`).join(""));
  };
  const options = { crawl_pages_max: 3, request_delay_ms: 0 };
  const { id } = await discovery.object(
    { "/robots.txt": answer(200, { "content-type": "text/plain" }, robots), "/": home },
    options,
  );
  const { id: good } = await discovery.object({ "/": htmlPage("Home", "/a", "/b"), "/a": "<p>a", "/b": "<p>b" });
  const { runId } = await discovery.product.rest.call("crawl", { params: { id } });
  await until("the page of links is on its way", () => asked > 0);
  expect((await discovery.crawl(good)).run).toMatchObject({ total: 3, completed: 3, failed: 0 });
  expect(await runEnded(discovery.product, runId)).toMatchObject({ total: 3 });
  // the page was requested only once, however its visit ended
  expect(asked).toBe(1);
});

describe("sitemaps", () => {
  const urlset = (urls: readonly string[]) =>
    `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;
  const index = (urls: readonly string[]) =>
    `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;
  const xml = (body: string | Buffer, headers: Record<string, string> = {}) =>
    answer(200, { "content-type": "application/xml", ...headers }, body);

  test("are recorded while they arrive: what came before a connection broke off is kept", async () => {
    const { id, site } = await discovery.object({});
    const urls = Array.from({ length: 6_000 }, (_, number) => `${site.url}page/${number}`);
    site.pages.set("/map.xml", (_request, response) => {
      const text = urlset(urls);
      response.writeHead(200, { "content-type": "application/xml", "content-length": String(text.length) });
      response.write(text.slice(0, text.length * 0.8), () => setTimeout(() => response.destroy(), 50));
    });
    await discovery.set(id, { sitemaps: [`${site.url}map.xml`], ignore_robots: true });
    const { run, runId } = await discovery.readSitemaps(id);
    expect(run).toMatchObject({ failed: 1 });
    expect(run.found).toBeGreaterThan(2_000);
    expect(run.found).toBeLessThan(6_000);
    const { items } = await discovery.report(runId, { group: "failed" });
    expect(items[0]?.reason).toMatch(/broke|cut|closed|ended|incomplete/i);
    // compressed twice: the file itself, and once more as its content-encoding
    site.pages.set("/map.xml", xml(gzipSync(gzipSync(urlset(urls.slice(0, 10)))), { "content-encoding": "gzip" }));
    expect((await discovery.readSitemaps(id)).run).toMatchObject({ failed: 0, found: 10 });
  });

  test("nested too deep, too many or too large end inside the object's budgets", async () => {
    const { id, site } = await discovery.object({}, { crawl_pages_max: 30, ignore_robots: true });
    const at = (path: string) => new URL(path, site.url).href;
    // every index names two further indexes and a sitemap, endlessly
    answerAll(site, (request, response) => {
      const path = request.url ?? "";
      response.writeHead(200, { "content-type": "application/xml" });
      response.end(
        path.startsWith("/i")
          ? index([at(`${path}0`), at(`${path}1`), at(`/m${path.slice(2)}`)])
          : urlset(Array.from({ length: 8 }, (_, number) => at(`${path}/${number}`))),
      );
    });
    await discovery.set(id, { sitemaps: [at("/i")] });
    const { run, runId } = await discovery.readSitemaps(id);
    expect(run.state).toBe("finished");
    expect(run.completed).toBe(run.total);
    expect(run.found).toBeLessThanOrEqual(30);
    const report = await discovery.report(runId, { group: "budget", limit: 1000 });
    expect(report.run.ended_by).toBe("pages");
    expect(report.ended).toContain("page budget");
    expect(report.counts.budget).toBeGreaterThan(0);
  });

  test("are read to their end by another crawler where the first is killed", async () => {
    const { product } = discovery;
    const { id, site } = await discovery.object({}, { ignore_robots: true });
    const at = (path: string) => new URL(path, site.url).href;
    let asked = 0;
    site.pages.set("/index.xml", xml(index(Array.from({ length: 8 }, (_, number) => at(`/map${number}.xml`)))));
    for (let number = 0; number < 8; number += 1)
      site.pages.set(`/map${number}.xml`, (_request, response) => {
        asked += 1;
        const text = urlset(Array.from({ length: 1_500 }, (_unused, page) => at(`/m${number}/${page}`)));
        response.writeHead(200, { "content-type": "application/xml" }).write(text.slice(0, 40_000));
        setTimeout(() => response.end(text.slice(40_000)), 100);
      });
    await discovery.set(id, { sitemaps: [at("/index.xml")] });
    const { runId } = await product.rest.call("runSitemaps", { params: { id } });
    await until("a sitemap that is being read", () => asked >= 3);
    process.kill(product.pidOf("crawler"), "SIGKILL");
    const run = await runEnded(product, runId);
    expect(run).toMatchObject({ state: "finished", failed: 0, found: 12_000, total: 12_009, completed: 12_009 });
  });
});

describe("traps that end inside their budgets", () => {
  const number = (url: string | undefined) => Number(/(\d+)\D*$/.exec(url ?? "")?.[1] ?? 0);
  const html = (response: Parameters<Exclude<Page, string>>[1], body: string) =>
    void response.writeHead(200, { "content-type": "text/html" }).end(body);
  const traps: [string, Page][] = [
    [
      "relative links that grow the path",
      (request, response) => html(response, htmlPage("Grow", `next/${number(request.url) + 1}/`, "index.html")),
    ],
    [
      "a facet search of five filters",
      (_request, response) => {
        const random = () => Math.floor(Math.random() * 1e9);
        html(
          response,
          htmlPage(
            "Facets",
            ...Array.from({ length: 30 }, () => `/shop?color=${random()}&size=${random()}&brand=${random()}&sort=a`),
          ),
        );
      },
    ],
    [
      "canonical addresses that never end",
      (request, response) => html(response, titled("C", `<link rel=canonical href="/c/${number(request.url) + 1}">`)),
    ],
    [
      "redirects that never end",
      (request, response) => void response.writeHead(302, { location: `/hop/${number(request.url) + 1}` }).end(),
    ],
    [
      "meta refreshes that never end",
      (request, response) =>
        html(response, titled("R", `<meta http-equiv=refresh content="0;url=/r/${number(request.url) + 1}">`)),
    ],
    [
      "a day by day calendar with a session in the path",
      (request, response) => {
        const day = new Date(Date.UTC(2026, 0, 1 + number(request.url))).toISOString().slice(0, 10);
        html(
          response,
          htmlPage(
            day,
            `/cal;jsessionid=${Math.random().toString(36).slice(2)}/${day}/${number(request.url) + 1}`,
            `/day/${day}`,
          ),
        );
      },
    ],
    [
      "a page of 2,000 links to pages of 2,000 links",
      (request, response) =>
        html(
          response,
          htmlPage("Many", ...Array.from({ length: 2_000 }, (_, at) => `/m/${number(request.url)}/${at}`)),
        ),
    ],
    [
      "a new host name in every link",
      (request, response) =>
        html(
          response,
          htmlPage(
            "Hosts",
            ...Array.from(
              { length: 5 },
              (_, at) => `http://127.0.${number(request.url) % 200}.${at + 2}:${request.socket.localPort}/x${at}`,
            ),
          ),
        ),
    ],
  ];
  test.each(traps)("%s", async (_name, page) => {
    const { id, site } = await discovery.object({}, { crawl_pages_max: 60, crawl_depth_max: 10 });
    answerAll(site, page);
    const { run, runId } = await discovery.crawl(id);
    expect(run.state).toBe("finished");
    expect(run.total).toBeLessThanOrEqual(60);
    expect(run.completed).toBe(run.total);
    const report = await discovery.report(runId);
    const isWhole = report.counts.failed === 0 && report.counts.budget + report.counts.trap === 0;
    if (!isWhole && report.counts.failed === 0) expect(report.ended).not.toBeNull();
  });
});

test("everything adds up in the end", async () => {
  expect(await invariantFaults(discovery.product)).toEqual([]);
});
