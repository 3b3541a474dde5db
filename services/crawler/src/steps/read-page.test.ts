import { describe, expect, test } from "@jest/globals";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import type { VisitedPage } from "@web-tester/records/pages/visited-page";
import { createFrontier } from "../pure/frontier.js";
import { readPage } from "./read-page.js";
import { parseRobots } from "../pure/robots.js";
import { scanPage } from "../pure/scan-page.js";

const origin = "http://site.test";
const page: ClaimedPage = {
  id: "00000000-0000-7000-8000-000000000001",
  fence: 1,
  attempts: 1,
  failures: 0,
  runId: "00000000-0000-7000-8000-000000000002",
  url: `${origin}/`,
  depth: 0,
  objectId: "00000000-0000-7000-8000-000000000003",
  objectUrl: `${origin}/`,
  excludeList: [],
  scope: "path",
  scopePrefixes: [],
  dropParams: [],
  ignoreRobots: false,
  requestDelayMs: 0,
  fetchMode: "http",
  pagesMax: 100_000,
  depthMax: 20,
  minutesMax: 60,
  mibMax: 1_000,
  authEnabled: false,
  authType: "basic",
  authUsername: "",
  authPasswordSealed: null,
  visit: {
    ...{ userAgent: "", language: "", timeZone: "", viewport: "" },
    ...{ dismissSelectors: [], blockList: [], headersSealed: null, signsIn: false },
  },
  robotsAs: "",
};
const blank: VisitedPage = {
  id: page.id,
  fence: 1,
  outcome: "failed",
  http_status: 200,
  error_code: null,
  error: null,
  instance: null,
  redirectedTo: null,
  target: null,
  name: null,
  carried: [],
  bytes: 0,
};

/** Reads a page of these links. `others`: how often other tasks got a turn meanwhile. */
async function read(
  hrefs: readonly string[],
  more: Partial<ClaimedPage>,
  robots: string,
  isWanted = async () => true,
  head = "",
) {
  const html = Buffer.from(head + hrefs.map((href) => `<a href="${href}">x</a>`).join(""));
  const rules = { ...parseRobots(Buffer.from(robots), "web-tester"), problem: null };
  const finalUrl = new URL(page.url);
  let others = 0;
  let isOver = false;
  const tick = () => {
    others += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    const { found, skipped } = await readPage(
      { ...page, ...more },
      blank,
      { bytes: html, charset: "utf-8", finalUrl, refreshUrl: null },
      {
        known: () => rules,
        frontier: createFrontier(),
        show: async ({ bytes, charset }) => ({
          scan: scanPage({ bytes, charset, scriptsOf: null }),
          shownAt: finalUrl,
          problem: null,
        }),
        isWanted,
      },
    );
    return { found: found.map(({ url }) => url), skipped: skipped.map(({ reason }) => reason), others };
  } finally {
    isOver = true;
  }
}

const longLinks = Array.from({ length: 1_000 }, (_, index) => `/${"ab".repeat(900)}${index}`);
/** A robots.txt of 494 KB. */
const hostileRobots = `User-agent: *\n${Array.from({ length: 1_000 }, (_, index) => `Disallow: /*${"ab".repeat(236)}*${index}x\n`).join("")}`;

test.each([
  ["a script", "javascript:void(0)"],
  ["data", "data:text/html,x"],
])("links of a page whose base is %s are relative to the page", async (_what, base) => {
  const { found } = await read(["a"], {}, "", undefined, `<base href="${base}">`);
  expect(found).toEqual([`${origin}/a`]);
});

test("queries of links are written in the charset of their page", async () => {
  const scan = scanPage({
    bytes: Buffer.from(`<link rel=canonical href="/c?q=\xe9"><a href="/\xe9?q=\xe9">x</a>`, "latin1"),
    charset: "windows-1252",
    scriptsOf: null,
  });
  expect(scan).toMatchObject({ hrefs: "/c?q=%E9\0/é?q=%E9", canonical: "/c?q=%E9" });
});

test("links that differ by their fragments, or not at all, count once", async () => {
  const { found } = await read(["/a#one", "/b", "/a", "#top", "/a#two#three", "/b#", "/c?q=1#x", "/c?q=1"], {}, "");
  expect(found).toEqual([`${origin}/a`, `${origin}/b`, `${origin}/`, `${origin}/c?q=1`]);
});

test("links that are too long are told once, beside those that are followed", async () => {
  const long = `/${"x".repeat(2_500)}`;
  const links = [long, "/a", long, `${long}2`, `http://other.test${long}`, `/no${long}`, `mailto:${long}`];
  const { found, skipped } = await read(links, { excludeList: ["/no/*"] }, "");
  expect(found).toEqual([`${origin}/a`]);
  expect(skipped).toEqual(["too-long", "too-long", "out-of-scope", "excluded"]);
});

describe("a page made to take long", () => {
  test("by its links and the rules of robots.txt is read, and others have their turns meanwhile", async () => {
    expect(hostileRobots.length).toBeGreaterThan(480_000);
    const { found, others } = await read(longLinks, {}, hostileRobots);
    expect(found).toHaveLength(1_000);
    expect(others).toBeGreaterThan(1);
  }, 120_000);

  test("by its links and the exclude patterns is read as well", async () => {
    const excludeList = Array.from({ length: 100 }, (_, index) => `*${"ab*".repeat(60)}${"ab".repeat(30)}${index}x*`);
    const { found } = await read(longLinks, { excludeList }, "");
    expect(found).toHaveLength(1_000);
  }, 120_000);

  test("by its parameters and those to drop is read as well", async () => {
    const dropParams = Array.from({ length: 50 }, (_, index) => `x${index}*`);
    const links = Array.from({ length: 2_000 }, (_, index) => `/p?${"a&".repeat(950)}${index}`);
    const { skipped } = await read(links, { dropParams }, "");
    expect(skipped).toEqual(links.map(() => "trap"));
  });

  // five seconds of CPU time may be minutes of wall time on a busy machine
  test("is given up in words at its budget of CPU time, and at once where it is not wanted any more", async () => {
    // pieces that are suffixes of one another are the most expensive pattern
    const nested = `User-agent: *\n${Array.from({ length: 980 }, (_, index) => `Disallow: /*${"a".repeat(index + 1)}*b${index}*\n`).join("")}`;
    const links = Array.from({ length: 5_116 }, (_, index) => `/${"a".repeat(1_900)}${index}`);
    await expect(read(links, {}, nested)).rejects.toMatchObject({
      why: "too-long",
      message: expect.stringMatching(/^Its links took more than 5 seconds .*\.$/),
    });
    await expect(read(links, {}, nested, async () => false)).rejects.toMatchObject({ why: "not-wanted" });
  }, 240_000);

  test("by a hundred thousand links gives as many as the crawl may visit, and one more", async () => {
    const links = Array.from({ length: 100_000 }, (_, index) => `/${index}`);
    const { found, skipped } = await read(links, { pagesMax: 50 }, "");
    expect(found).toHaveLength(51);
    // those beyond are read a while, since all of these may be known already
    expect(skipped).toEqual(Array.from({ length: 1_000 }, () => "pages"));
  });
});
