import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  answer,
  answerAll,
  type Discovery,
  htmlPage,
  pathOf,
  plainText,
  redirectTo,
  startDiscovery,
} from "../support/discovery.js";
import { invariantFaults } from "../support/invariants.js";
import { register } from "../support/job.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import type { Page, Site } from "../support/site.js";
import { until } from "../support/until.js";

/** The oddities of real sites: links, redirects, robots.txt and scopes. */
let discovery: Discovery;
beforeAll(async () => {
  discovery = await startDiscovery(reachesLoopback, shareProduct);
}, 240_000);
afterAll(() => discovery?.close());

const titled = (title: string, head: string, body = "") =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body>${body}`;
/** Starts a server and returns its port once it listens. @throws the error of `listen` */
async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
/** The address of a site with its host replaced and the same port. */
const onHost = (site: Site, host: string) => site.url.replace("127.0.0.1", host);

describe("links", () => {
  test("of every kind are followed, those that lead nowhere are not", async () => {
    const long = `/long?${"x".repeat(3_000)}`;
    const { id, site } = await discovery.object({
      "/": titled(
        "Home",
        `<base href="/sub/"><link rel="next" href="next"><link rel=prev href="prev"><LINK REL="Alternate" HREFLANG=de HREF="de">
         <link rel="alternate" type="application/rss+xml" href="feed"><link rel=stylesheet href="style">
         <meta http-equiv="Refresh" content="300; URL='refreshed'">`,
        `<map><area href="area"></map><iframe src="iframe"></iframe><a href="  spaced&#10; ">x</a><A HREF=HTTP://${"127.0.0.1"}:PORT/upper>x</A>
         <a href="//127.0.0.1:PORT/schemeless">x</a><a href="\\sub\\backslash">x</a><a href="?q=1">x</a><a href="#top">x</a><a href="dots/./a/../b">x</a>
         <a href="javascript:alert(1)">x</a><a href="mailto:a@b.example">x</a><a href="tel:1">x</a><a href="data:text/html,x">x</a>
         <a href="http://">x</a><a href="http://[::1">x</a><a href="ftp://127.0.0.1/x">x</a><a href="${long}">x</a>
         <a href="http://user:secret@127.0.0.1:PORT/sub/credentials">x</a><a href="%7etilde">x</a><a href="~tilde">x</a><a href="K%C3%A4se">x</a><a href="Käse">x</a>
         <a href="Case">x</a><a href="case">x</a><a href="slash">x</a><a href="slash/">x</a><template><a href="inert">x</a></template><!-- <a href="comment">x</a> -->`,
      ),
    });
    const home = site.pages.get("/");
    site.pages.set("/", String(home).replaceAll("PORT", new URL(site.url).port));
    const get = site.pages.get.bind(site.pages);
    site.pages.get = (path) => get(path) ?? (path === "/robots.txt" ? undefined : htmlPage(path));
    await discovery.crawl(id);
    const expected = [
      ..."next prev de refreshed area iframe spaced backslash ?q=1 dots/b credentials ~tilde K%C3%A4se Case case slash slash/".split(
        " ",
      ),
    ].map((name) => `/sub/${name}`);
    // "#top" resolves to the base address itself, as in a browser
    expect(await discovery.instances(id)).toEqual(["/", "/sub/", "/upper", "/schemeless", ...expected].toSorted());
    expect(site.requests.filter((path) => path.includes("#") || path.includes("secret"))).toEqual([]);
    expect(new Set(site.requests).size).toBe(site.requests.length);
  });

  test("in the header Refresh are followed from the page itself, whatever its base is", async () => {
    const { id } = await discovery.object({
      "/": titled("Home", `<base href="/elsewhere/">`),
      "/below/": htmlPage("Below"),
    });
    const { id: refreshed, site } = await discovery.object({
      "/": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/html", refresh: "0; URL='below/'" })
          .end(titled("Home", `<base href="/elsewhere/">`)),
      "/below/": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/html", refresh: "300" })
          .end(titled("Below", "", "<a href=page>x</a>")),
      "/below/page": htmlPage("Page"),
    });
    await discovery.crawl(id);
    expect(await discovery.instances(id)).toEqual(["/"]);
    await discovery.crawl(refreshed);
    expect(await discovery.instances(refreshed)).toEqual(["/", "/below/", "/below/page"]);
    expect(site.requests).not.toContain("/elsewhere/below/");
  });

  test("in frames are followed", async () => {
    const { id } = await discovery.object({
      "/": `<title>Frames</title><frameset cols="*,*"><frame src="/left"><frame src="right"></frameset>`,
      "/left": htmlPage("Left"),
      "/right": htmlPage("Right"),
    });
    await discovery.crawl(id);
    expect(await discovery.instances(id)).toEqual(["/", "/left", "/right"]);
  });

  test("are written in the charset of their page, and those that answer that there is no page are none", async () => {
    const { id } = await discovery.object({
      "/": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/html; charset=windows-1252" })
          .end(
            Buffer.from(
              `<title>Home</title><a href="/s?q=\xe9">x</a><a href="/204">x</a><a href="/205">x</a>`,
              "latin1",
            ),
          ),
      "/s?q=%E9": htmlPage("Found"),
      "/204": answer(204),
      "/205": answer(205),
    });
    const { runId } = await discovery.crawl(id);
    expect(await discovery.instances(id)).toEqual(["/", "/s?q=%E9"]);
    expect(await discovery.paths(runId, "not-html")).toEqual(["/204", "/205"]);
  });

  test("name instances by their titles, whatever these hold", async () => {
    const { id } = await discovery.object({
      "/": titled(
        "Fish &amp; Chips &lt;b&gt;",
        "",
        `<a href="/none">x</a><a href="/empty">x</a><a href="/long">x</a><a href="/nul">x</a><a href="/svg">x</a>`,
      ),
      "/none": "<!doctype html><p>no title",
      "/empty": "<!doctype html><title> \n </title>",
      "/long": `<!doctype html><title>${"wort ".repeat(200)}</title>`,
      "/nul": "<!doctype html><title>a\0b\uD800c</title>",
      "/svg": "<!doctype html><svg><title>Picture</title></svg><title>Page</title>",
    });
    await discovery.crawl(id);
    const { items } = await discovery.product.rest.call("listTestInstances", { params: { id }, query: { limit: 100 } });
    const names = Object.fromEntries(items.map((item) => [pathOf(item.url), item.name]));
    expect(names).toMatchObject({ "/": "Fish & Chips <b>", "/none": "/none", "/empty": "/empty", "/svg": "Page" });
    expect(names["/long"]?.length).toBeLessThanOrEqual(200);
    expect(names["/nul"]).toContain("b");
  });
});

describe("canonical addresses and redirects", () => {
  test("that lead in circles, to broken or to foreign pages lose no page", async () => {
    const names = (title: string, canonical: string) => titled(title, `<link rel="canonical" href="${canonical}">`);
    const { id } = await discovery.object({
      "/robots.txt": plainText("User-agent: *\nDisallow: /denied"),
      "/": htmlPage(
        "Home",
        "/a",
        "/b",
        "/c1",
        "/c2",
        "/broken",
        "/text",
        "/foreign",
        "/self",
        "/chain1",
        "/slash",
        "/to-denied",
      ),
      "/a": names("A", "/b"),
      "/b": names("B", "/a"),
      "/c1": names("C", "/c"),
      "/c2": names("C", "/c"),
      "/c": names("C", "/c#part"),
      "/broken": names("Points at nothing", "/missing"),
      "/text": names("Points at a file", "/file.txt"),
      "/file.txt": plainText("text"),
      "/foreign": names("Foreign", "http://elsewhere.example/"),
      "/self": names("Self", "/self?"),
      "/chain1": names("One", "/chain2"),
      "/chain2": names("Two", "/chain3"),
      "/chain3": htmlPage("Three"),
      "/slash": names("Slash", "/slash/"),
      "/slash/": redirectTo("/slash"),
      "/to-denied": names("To denied", "/denied"),
    });
    const { runId, run } = await discovery.crawl(id);
    expect(await discovery.instances(id)).toEqual(
      ["/", "/a", "/broken", "/c", "/chain3", "/foreign", "/self", "/slash", "/text", "/to-denied"].toSorted(),
    );
    expect(run.found).toBe(10);
    expect(await discovery.paths(runId, "canonical")).toEqual(["/b", "/c1", "/c2", "/chain1", "/chain2"]);
    const { items } = await discovery.product.rest.call("listTestInstances", { params: { id }, query: { limit: 100 } });
    expect(items.find((item) => item.url.endsWith("/broken"))?.name).toBe("Points at nothing");
  });

  test.each([
    ["without a delay", 0],
    ["with a delay, which is kept between them too", 60],
  ])("redirects %s: loops fail, targets are one instance", async (_words, delay) => {
    const times: number[] = [];
    const { id, site } = await discovery.object(
      {
        "/": htmlPage("Home", "/one", "/two", "/loop", "/nowhere", "/script", "/out"),
        "/one": redirectTo("/target"),
        "/two": redirectTo("target#part", 302),
        "/target": htmlPage("Target"),
        "/loop": redirectTo("/loop2"),
        "/loop2": redirectTo("/loop"),
        "/nowhere": answer(301),
        "/script": redirectTo("javascript:alert(1)"),
        "/out": redirectTo("http://127.0.0.1:9/"),
      },
      { request_delay_ms: delay, ignore_robots: true },
    );
    const get = site.pages.get.bind(site.pages);
    site.pages.get = (path) => {
      times.push(performance.now());
      return get(path);
    };
    const { runId } = await discovery.crawl(id);
    expect(await discovery.instances(id)).toEqual(["/", "/target"]);
    expect(await discovery.paths(runId, "redirected")).toEqual(expect.arrayContaining(["/one", "/two"]));
    const failed = await discovery.report(runId, { group: "failed" });
    const reasons = failed.items.map((item) => item.reason).join("\n");
    expect(reasons).toContain("form a loop");
    expect(await discovery.paths(runId, "failed")).toEqual(expect.arrayContaining(["/nowhere", "/script"]));
    expect(await discovery.paths(runId, "out-of-scope")).toEqual(["/out"]);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    if (delay > 0) expect(Math.min(...gaps)).toBeGreaterThanOrEqual(delay);
  });

  test("a redirect into another origin of the scope is judged by that origin's robots.txt", async () => {
    const other = await discovery.open({
      "/robots.txt": plainText("User-agent: *\nDisallow: /private"),
      "/open": htmlPage("Open"),
      "/private": htmlPage("Private"),
    });
    const { id } = await discovery.object({
      "/": htmlPage("Home", "/to-open", "/to-private"),
      "/to-open": redirectTo(`${other.url}open`),
      "/to-private": redirectTo(`${other.url}private`),
    });
    await discovery.set(id, { scope: "prefixes", scope_prefixes: ["/", other.url] });
    const { runId } = await discovery.crawl(id);
    const { items } = await discovery.report(runId, { group: "denied" });
    expect(items.map((item) => item.url)).toEqual([`${other.url}private`]);
    expect(other.requests).not.toContain("/private");
    expect(await discovery.instances(id)).toEqual(["/", "/open"]);
    await discovery.set(id, { ignore_robots: true });
    await discovery.crawl(id);
    expect(await discovery.instances(id)).toEqual(["/", "/open", "/private"]);
  });

  test("an address registered in another spelling is one instance, crawled or fetched alone", async () => {
    const site = await discovery.open({
      "/~user/": htmlPage("User", "/%7Euser/", "/~user/a"),
      "/~user/a": htmlPage("A"),
    });
    const id = await register(discovery.product, `${site.url}%7euser/?utm_source=mail`);
    await discovery.set(id, { drop_params: ["utm_*"] });
    await discovery.product.rest.call("snapshotOne", { params: { id } });
    const { runId } = await discovery.crawl(id);
    expect(await discovery.instances(id)).toEqual(["/~user/", "/~user/a"]);
    expect(await discovery.paths(runId, "redirected")).toEqual([]);
    await until("the fetch", async () => {
      const [open] = await discovery.product.db.query(
        `SELECT 1 FROM run WHERE test_object_id = $1 AND state = 'running'`,
        [id],
      );
      return open === undefined;
    });
  });
});

describe("robots.txt", () => {
  test.each<[string, Page, string[]]>([
    ["with a byte order mark and CRLF", plainText("\uFEFFUser-agent: *\r\nDisallow: /b\r\n"), ["/", "/a"]],
    ["that redirects", redirectTo("/rules"), ["/", "/a"]],
    ["that is forbidden", answer(403), ["/", "/a", "/b"]],
    ["that is an HTML page", answer(200, {}, "<!doctype html><title>Not found</title>"), ["/", "/a", "/b"]],
    [
      "larger than is read",
      plainText(`User-agent: *\nDisallow: /b\n${"# filler\n".repeat(70_000)}Disallow: /a\n`),
      ["/", "/a"],
    ],
    ["that redirects in a circle", redirectTo("/robots.txt"), ["/", "/a", "/b"]],
    [
      "in several groups",
      plainText("User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /*\nAllow: /a$\nAllow: /$\n"),
      ["/", "/a"],
    ],
    ["that asks for another time", answer(429, { "retry-after": "1" }), []],
  ])("%s", async (_words, robots, expected) => {
    const { id } = await discovery.object({
      "/robots.txt": robots,
      "/rules": plainText("User-agent: *\nDisallow: /b"),
      "/": htmlPage("Home", "/a", "/b"),
      "/a": htmlPage("A"),
      "/b": htmlPage("B"),
    });
    await discovery.crawl(id);
    expect(await discovery.instances(id)).toEqual(expected);
  });
});

describe("scope", () => {
  const links = (site: Site) =>
    ["127.0.0.1", "localhost"].flatMap((host) => ["docs/a", "blog/b"].map((path) => `${onHost(site, host)}${path}`));

  async function crawled(options: Parameters<Discovery["set"]>[1], at = "/docs/"): Promise<string[]> {
    const site = await discovery.open();
    answerAll(site, (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(htmlPage("Page", ...links(site), "/docs"));
    });
    const id = await register(discovery.product, new URL(at, site.url).href);
    await discovery.set(id, options);
    await discovery.crawl(id);
    const { items } = await discovery.product.rest.call("listTestInstances", { params: { id }, query: { limit: 100 } });
    return items.map((item) => item.url.replace(`:${new URL(site.url).port}`, "")).toSorted();
  }

  test("by path covers what is below", async () =>
    expect(await crawled({ scope: "path" })).toEqual(["http://127.0.0.1/docs/", "http://127.0.0.1/docs/a"]));
  test("by host covers the host and no other", async () =>
    expect(await crawled({ scope: "host" })).toEqual(
      ["", "/", "/a"]
        .map((end) => `http://127.0.0.1/docs${end}`)
        .concat("http://127.0.0.1/blog/b")
        .toSorted(),
    ));
  test("by domain stays within the registrable domain, which an IP address is by itself", async () =>
    expect(await crawled({ scope: "domain" })).toHaveLength(4));
  test("by prefixes covers exactly those, on any host, and the start", async () =>
    expect(await crawled({ scope: "prefixes", scope_prefixes: ["/blog/"] })).toEqual([
      "http://127.0.0.1/blog/b",
      "http://127.0.0.1/docs/",
    ]));
});

test("a site on an IPv6 address, with a port", async () => {
  const server = createServer((request, response) => {
    const known: Record<string, string> = { "/": htmlPage("Six", "/a"), "/a": htmlPage("A") };
    const html = known[request.url ?? ""];
    response.writeHead(html === undefined ? 404 : 200, { "content-type": "text/html" }).end(html);
  });
  // Holding the port on 127.0.0.1 too makes sure that it is none of the product's own, which are refused on every loopback address
  const holder = createServer();
  const port = await listen(holder, 0, "127.0.0.1");
  await listen(server, port, "::1");
  try {
    const id = await register(discovery.product, `http://[0:0::1]:${port}`);
    const { run } = await discovery.crawl(id);
    expect(run).toMatchObject({ failed: 0 });
    const { items } = await discovery.product.rest.call("listTestInstances", { params: { id } });
    expect(items.map((item) => item.url).toSorted()).toEqual([`http://[::1]:${port}/`, `http://[::1]:${port}/a`]);
  } finally {
    server.closeAllConnections();
    server.close();
    holder.close();
  }
});

test("everything adds up in the end", async () => {
  expect(await invariantFaults(discovery.product)).toEqual([]);
});
