import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parseRobots, robotsOf } from "./robots.js";

const host = "https://site.test";

function robots(text: string, agent = "FooBot") {
  return parseRobots(Buffer.from(text), agent);
}

function allows(text: string, path: string, agent?: string): boolean {
  return robots(text, agent).isAllowed(new URL(path, host));
}

describe("groups", () => {
  test.each([
    ["no file", "", "/a", true],
    ["a group for all", "User-agent: *\nDisallow: /a", "/a/b", false],
    ["the named group alone counts", "User-agent: *\nDisallow: /\n\nUser-agent: foobot\nDisallow: /x", "/a", true],
    [
      "several groups of one agent are joined",
      "User-agent: FooBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nUser-agent: FooBot\nDisallow: /b",
      "/b",
      false,
    ],
    ["agents in a row share the rules", "User-agent: FooBot\nUser-agent: BarBot\nDisallow: /a", "/a", false],
    [
      "a crawl-delay between agents does not part them",
      "User-agent: FooBot\nCrawl-delay: 1\nUser-agent: BarBot\nDisallow: /a",
      "/a",
      false,
    ],
    ["version and words behind the token", "User-agent: FooBot/2.1 (mail)\nDisallow: /a", "/a", false],
    ["a longer token is another agent", "User-agent: FooBots\nDisallow: /", "/a", true],
    ["rules before any agent", "Disallow: /\nUser-agent: BarBot\nDisallow: /", "/a", true],
    ["a named group without rules allows all", "User-agent: *\nDisallow: /\nUser-agent: FooBot\n", "/a", true],
    ["byte order mark", "\uFEFFUser-agent: *\nDisallow: /a", "/a", false],
    ["carriage returns alone", "User-agent: *\rDisallow: /a\r", "/a", false],
    ["comments", "User-agent: * # all\nDisallow: /a # not this\n", "/a", false],
    ["misspelt", "useragent: *\ndisalow: /a", "/a", false],
  ])("%s", (_, text, path, allowed) => {
    expect(allows(text, path)).toBe(allowed);
  });
});

describe("encodings", () => {
  const text = "User-agent: *\r\nDisallow: /a\r\nSitemap: /s.xml\r\n";
  const swapped = (written: string) => Buffer.from(written, "utf16le").swap16();

  test.each([
    ["UTF-8", Buffer.from(text)],
    ["UTF-16, little end first", Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["UTF-16, big end first", swapped(`\uFEFF${text}`)],
    ["UTF-16 without a mark, little end first", Buffer.from(text, "utf16le")],
    ["UTF-16 without a mark, big end first", swapped(text)],
  ])("%s", (_, body) => {
    const rules = parseRobots(body, "FooBot");
    expect(rules.isAllowed(new URL("/a/b", host))).toBe(false);
    expect(rules.isAllowed(new URL("/b", host))).toBe(true);
    expect(rules.sitemaps).toEqual(["/s.xml"]);
  });
});

describe("rules", () => {
  test.each([
    ["longest wins", "Disallow: /a\nAllow: /a/b", "/a/b/c", true],
    ["allow wins a tie", "Disallow: /a\nAllow: /a", "/a", true],
    ["empty disallow", "Disallow:", "/a", true],
    ["star", "Disallow: /*/print", "/x/y/print?1", false],
    ["star does not match less", "Disallow: /*/print", "/print", true],
    ["end", "Disallow: /*.pdf$", "/a.pdf", false],
    ["end, not in the middle", "Disallow: /*.pdf$", "/a.pdf?x", true],
    ["dollar in the middle is a character", "Disallow: /a$b", "/a$b", false],
    ["query", "Disallow: /*?session=", "/a?session=1", false],
    ["case counts", "Disallow: /A", "/a", true],
    ["a rule without slash matches nothing", "Disallow: a", "/a", true],
    ["encoding of the rule", "Disallow: /k%c3%a4se", "/käse", false],
    ["plain text in the rule", "Disallow: /käse", "/k%C3%A4se", false],
    ["an encoded letter", "Disallow: /%61", "/a", false],
    ["an encoded slash is none", "Disallow: /a/b", "/a%2Fb", true],
    ["an encoded star is none", "Disallow: /a%2Ab", "/axb", true],
    ["robots.txt itself", "Disallow: /", "/robots.txt", true],
  ])("%s", (_, rules, path, allowed) => {
    expect(allows(`User-agent: *\n${rules}`, path)).toBe(allowed);
  });
});

test("crawl-delay is that of the group that counts, in milliseconds", () => {
  expect(robots("User-agent: *\nCrawl-delay: 2.5").crawlDelayMs).toBe(2_500);
  expect(robots("User-agent: *\nCrawl-delay: 9\nUser-agent: FooBot\nCrawl-delay: 1").crawlDelayMs).toBe(1_000);
  expect(robots("User-agent: *\nCrawl-delay: -1").crawlDelayMs).toBeNull();
  expect(robots("User-agent: *\nCrawl-delay: soon").crawlDelayMs).toBeNull();
});

test("sitemaps are named wherever they stand, each once", () => {
  const text =
    "Sitemap: https://site.test/a.xml\nUser-agent: BarBot\nDisallow: /\nsitemap:https://site.test/b.xml\nSitemap: https://site.test/a.xml\nSitemap:\n";
  expect(robots(text).sitemaps).toEqual(["https://site.test/a.xml", "https://site.test/b.xml"]);
});

test("no more than 500 KiB are read, and no line that is cut there", () => {
  const rule = "User-agent: *\nDisallow: /a\n";
  const filled = (bytes: number) => rule + `#${"x".repeat(bytes - rule.length - 2)}\n`;
  expect(allows(`${filled(500 * 1024 - 20)}Disallow: /b\n`, "/b")).toBe(false);
  expect(allows(`${filled(500 * 1024)}Disallow: /b\n`, "/b")).toBe(true);
  expect(allows(`${filled(500 * 1024 - 11)}Disallow: /only-this\n`, "/other")).toBe(true);
  expect(allows(`${filled(500 * 1024)}Disallow: /b\n`, "/a")).toBe(false);
});

test("a hostile file is read and asked in linear time", () => {
  const stars = `User-agent: *\n${`Disallow: /${"*a".repeat(100)}b\n`.repeat(2_000)}`;
  const file = robots(stars);
  for (let index = 0; index < 20; index += 1) expect(file.isAllowed(new URL(`/${"a".repeat(1_900)}`, host))).toBe(true);
  expect(allows(`${"\0".repeat(100_000)}\nUser-agent: *\nDisallow: /a`, "/a")).toBe(false);
  expect(allows(`${" ".repeat(400_000)}x\nUser-agent: *\nDisallow: /a`, "/a")).toBe(false);
});

test("the status decides before the text does", () => {
  const body = Buffer.from("User-agent: *\nDisallow: /a\nSitemap: https://site.test/s.xml");
  const ask = (status: number | null, path: string) => robotsOf(status, body, "FooBot").isAllowed(new URL(path, host));
  expect([ask(200, "/a"), ask(200, "/b")]).toEqual([false, true]);
  expect([ask(404, "/a"), ask(410, "/a"), ask(403, "/a")]).toEqual([true, true, true]);
  expect([ask(500, "/b"), ask(503, "/b"), ask(429, "/b"), ask(null, "/b"), ask(302, "/b")]).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(robotsOf(404, body, "FooBot").sitemaps).toEqual([]);
});

/**
 * Where this parser deliberately differs from the expectations of google/robotstxt: RFC 9309 §2.2.2 compares rule and
 * address after percent-encoding both alike, Google's matcher compares the address as it was handed over.
 */
const deliberate = new Map([
  ["/foo/bar/ツ of /foo/bar/ツ", "an address is always percent-encoded by the URL parser before it is asked for"],
  ["/foo/bar/ツ of /foo/bar/%E3%83%84", "the same"],
  [
    "/foo/bar/baz of /foo/bar/%62%61%7A",
    "encoded unreserved characters are decoded (RFC 9309 §2.2.2, third row of the example)",
  ],
]);

const data = process.env["CONFORMANCE_DATA"] ?? "";
const conformanceTest = data === "" ? test.skip : test;

conformanceTest("agrees with Google's cases but for the listed differences (needs CONFORMANCE_DATA)", () => {
  const cases: { robots: string; agent: string; url: string; allowed: boolean }[] = JSON.parse(
    readFileSync(join(data, "robots.json"), "utf8"),
  );
  const differing = new Set<string>();
  for (const { robots: text, agent, url, allowed } of cases) {
    if (robots(text, agent).isAllowed(URL.parse(url) ?? new URL(host)) === allowed) continue;
    differing.add(`${url.replace("http://foo.bar", "")} of ${/^Allow: (.*)$/m.exec(text)?.[1]}`);
  }
  expect(cases.length).toBe(142);
  expect([...differing]).toEqual([...deliberate.keys()]);
});
