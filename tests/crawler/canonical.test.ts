import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type CrawledSite, crawlInOrder, type CrawlEnd, type SitePage } from "../support/crawled-site.js";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** Pages that name another address as canonical, crawled in many orders and stopped at many moments. */
let own: OwnDatabase;
beforeAll(async () => {
  own = await startDatabase();
}, 240_000);
afterAll(() => own?.stop());

const page = (canonical: string | null, ...links: string[]): SitePage => ({ kind: "page", links, canonical });
const redirect = (to: string): SitePage => ({ kind: "redirect", to });
const missing: SitePage = { kind: "status", status: 404 };

/** A pseudo-random generator of numbers from 0 to 1 that repeats them for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The successfully visited pages that have no instance, neither at their own address nor at one that they redirect to or name as canonical. */
function lost(site: CrawledSite, { good, instances }: CrawlEnd): string[] {
  const known = new Set(instances);
  return [...good].filter((path) => {
    const seen = new Set<string>();
    for (let at: string | null = path; at !== null && !seen.has(at); at = onward(site[at])) {
      if (known.has(at)) return false;
      seen.add(at);
    }
    return true;
  });
}

function onward(at: SitePage | undefined): string | null {
  if (at?.kind === "redirect") return at.to;
  return at?.kind === "page" && at.canonical !== null && !at.canonical.startsWith("http") ? at.canonical : null;
}

describe("a page whose canonical address", () => {
  test.each<[string, Record<string, SitePage>, string[]]>([
    ["is missing", { "/c": missing }, ["/", "/p"]],
    ["redirects to a missing one", { "/c": redirect("/gone") }, ["/", "/p"]],
    ["redirects twice, to a missing one", { "/c": redirect("/d"), "/d": redirect("/gone") }, ["/", "/p"]],
    ["redirects to a file", { "/c": redirect("/d"), "/d": { kind: "file" } }, ["/", "/p"]],
    ["redirects to a denied one", { "/c": redirect("/d"), "/d": { kind: "denied" } }, ["/", "/p"]],
    ["redirects out of the scope", { "/c": redirect("http://elsewhere.test/") }, ["/", "/p"]],
    ["redirects in a circle", { "/c": redirect("/d"), "/d": redirect("/c") }, ["/", "/p"]],
    ["redirects back to it", { "/c": redirect("/p") }, ["/", "/p"]],
    ["redirects to another page", { "/c": redirect("/d"), "/d": page(null) }, ["/", "/d"]],
    ["redirects to a page that names a missing one", { "/c": redirect("/d"), "/d": page("/gone") }, ["/", "/d"]],
    ["names a missing one itself", { "/c": page("/gone") }, ["/", "/c"]],
    ["names it in turn", { "/c": page("/p") }, ["/", "/c"]],
    ["is good", { "/c": page(null) }, ["/", "/c"]],
  ])("%s", async (_name, more, expected) => {
    const site = { "/": page(null, "/p", "/c"), "/p": page("/c"), ...more };
    for (const delayMs of [0, 1]) {
      for (const seed of [1, 2, 3]) {
        const end = await crawlInOrder(own.db, site, { random: randomOf(seed), delayMs });
        expect(end.run).toMatchObject({ state: "finished", found: expected.length, ended_by: null });
        expect(end.instances).toEqual(expected);
      }
    }
  });

  test("redirects to it, as others do, counts once", async () => {
    const site = { "/": page(null, "/a", "/b"), "/a": redirect("/p"), "/b": redirect("/c"), "/c": redirect("/p") };
    for (let one = 0; one < 12; one += 1) {
      const end = await crawlInOrder(own.db, { ...site, "/p": page("/b") }, { random: randomOf(one) });
      expect([end.run.found, end.instances]).toEqual([2, ["/", "/p"]]);
    }
  });

  test("was not visited when the crawl was stopped is kept", async () => {
    const site = { "/": page(null, "/p"), "/p": page("/c"), "/c": page(null) };
    const found = new Set<string>();
    for (let stopAfter = 0; stopAfter < 16; stopAfter += 1) {
      const end = await crawlInOrder(own.db, site, { random: randomOf(stopAfter), stopAfter });
      expect(lost(site, end)).toEqual([]);
      expect(end.run.found).toBe(end.instances.length);
      found.add(end.instances.join(" "));
    }
    expect([...found]).toEqual(expect.arrayContaining(["/ /p", "/ /c"]));
  });

  test("found no room is kept", async () => {
    const site = { "/": page(null, "/p"), "/p": page("/c"), "/c": page(null) };
    const end = await crawlInOrder(own.db, site, { random: randomOf(1), pagesMax: 2 });
    expect(end.instances).toEqual(["/", "/p"]);
    expect(end.run).toMatchObject({ total: 2, found: 2, ended_by: "pages" });
  });
});

test("a crawl at its budget says so also where all first links of a page are known to another crawler", async () => {
  const site = {
    "/": page(null, "/", "/d"),
    "/d": redirect("/f"),
    "/f": page(null, "/d", "/", "/f", "/b"),
    "/b": page(null),
  };
  for (let one = 0; one < 60; one += 1) {
    const end = await crawlInOrder(own.db, site, { random: randomOf(one), pagesMax: 2 });
    expect([one, end.run.ended_by, end.instances.includes("/b")]).toEqual([one, "pages", false]);
  }
});

const paths = ["/", "/a", "/b", "/c", "/d", "/e", "/f", "/g"];
const path = fc.constantFrom(...paths);
const anyPage: fc.Arbitrary<SitePage> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("page" as const),
      links: fc.array(path, { maxLength: 4 }),
      canonical: fc.option(fc.oneof(path, fc.constant("http://elsewhere.test/"), fc.constant("/nothing")), { freq: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("redirect" as const), to: path }) },
  { weight: 1, arbitrary: fc.constantFrom<SitePage>(missing, { kind: "file" }, { kind: "denied" }) },
);
const anySite: fc.Arbitrary<CrawledSite> = fc
  .tuple(fc.array(path, { minLength: 3, maxLength: 7 }), fc.tuple(...paths.slice(1).map(() => anyPage)))
  .map(([links, rest]) => ({
    "/": page(null, ...links),
    ...Object.fromEntries(rest.map((answer, index) => [paths[index + 1] ?? "", answer])),
  }));
const seed = fc.integer();

describe("of any site", () => {
  test("a crawl finds the same, whatever comes first, and loses no page", async () => {
    await fc.assert(
      fc.asyncProperty(anySite, seed, seed, fc.constantFrom(0, 1), async (site, one, two, delayMs) => {
        const first = await crawlInOrder(own.db, site, { random: randomOf(one), delayMs });
        const second = await crawlInOrder(own.db, site, { random: randomOf(two), delayMs });
        expect(second.instances).toEqual(first.instances);
        for (const end of [first, second]) {
          expect(lost(site, end)).toEqual([]);
          expect(end.run).toMatchObject({ state: "finished", found: end.instances.length, ended_by: null });
          expect(end.run.completed).toBe(end.run.total);
        }
      }),
      { numRuns: 100, interruptAfterTimeLimit: 40_000 },
    );
  }, 120_000);

  test("a crawl that is stopped, or at its budget, loses no page that it has seen", async () => {
    const stop = fc.option(fc.integer({ min: 0, max: 12 }));
    await fc.assert(
      fc.asyncProperty(anySite, seed, stop, fc.integer({ min: 1, max: 8 }), async (site, one, stopAfter, pagesMax) => {
        const end = await crawlInOrder(own.db, site, { random: randomOf(one), stopAfter, pagesMax });
        expect(lost(site, end)).toEqual([]);
        expect(end.run.found).toBe(end.instances.length);
        expect(end.run.completed).toBe(end.run.total);
        if (end.run.ended_by === null && end.run.state === "finished") {
          const whole = await crawlInOrder(own.db, site, { random: randomOf(one) });
          expect(end.instances).toEqual(whole.instances);
        }
      }),
      { numRuns: 100, interruptAfterTimeLimit: 40_000 },
    );
  }, 120_000);

  test("a budget of exactly as many pages as there are is not hit, one less is", async () => {
    const site = { "/": page(null, "/a", "/b", "/"), "/a": page(null, "/", "/b"), "/b": page(null, "/a") };
    for (const seedOf of [1, 2, 3]) {
      const exact = await crawlInOrder(own.db, site, { random: randomOf(seedOf), pagesMax: 3 });
      expect(exact.run).toMatchObject({ total: 3, found: 3, ended_by: null });
      const less = await crawlInOrder(own.db, site, { random: randomOf(seedOf), pagesMax: 2 });
      expect(less.run).toMatchObject({ total: 2, found: 2, ended_by: "pages" });
    }
  });
});
