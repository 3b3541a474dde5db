import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import type { SitemapOptions, SitemapReport } from "./sitemap-report.js";
import { readSitemap } from "./sitemap.js";

const address = new URL("https://site.test/maps/sitemap.xml");
const isInScope = (url: URL): boolean => url.origin === "https://site.test";

interface Outcome extends Omit<SitemapReport, "pages" | "sitemaps"> {
  pages: string[];
  sitemaps: string[];
}

async function read(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: Partial<SitemapOptions> = {},
): Promise<Outcome> {
  const pages: string[] = [];
  const sitemaps: string[] = [];
  let outOfScope = 0;
  const report = await readSitemap(body, { address, isInScope, ...options }, (batch) => {
    pages.push(...batch.pages);
    sitemaps.push(...batch.sitemaps);
    outOfScope += batch.outOfScope.length;
  });
  expect([report.pages, report.sitemaps, report.outOfScope]).toEqual([pages.length, sitemaps.length, outOfScope]);
  return { ...report, pages, sitemaps };
}

function urlset(paths: Iterable<string>): Buffer {
  return Buffer.from(
    `<urlset>${[...paths].map((path) => `<url><loc>https://site.test/${path}</loc></url>`).join("")}</urlset>`,
  );
}

const folder = join(import.meta.dirname, "fixtures", "sitemaps");
const expectations = z
  .record(
    z.string(),
    z.object({
      kind: z.string(),
      pages: z.array(z.string()),
      sitemaps: z.array(z.string()),
      duplicates: z.int(),
      outOfScope: z.int(),
      invalid: z.int(),
      limit: z.string().nullable(),
      problem: z.string().nullable(),
    }),
  )
  .parse(JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")));

describe("the corpus", () => {
  test("holds at least 60 files, each with its expectation", () => {
    const files = readdirSync(folder).filter((file) => file !== "expected.json");
    expect(files.toSorted()).toEqual(Object.keys(expectations).toSorted());
    expect(files.length).toBeGreaterThanOrEqual(60);
  });

  test.each(Object.entries(expectations))("%s", async (file, expected) => {
    const bytes = readFileSync(join(folder, file));
    const whole = await read([bytes]);
    expect(whole).toEqual({
      ...expected,
      problem: expected.problem === null ? null : expect.stringContaining(expected.problem),
    });
    // the result is the same however the bytes are split into pieces
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    if (bytes.length < 20_000) expect(await read(single)).toEqual(whole);
  });
});

test("stops at 50,000 addresses and says so", async () => {
  const many = urlset(Array.from({ length: 50_001 }, (_, index) => `${index}`));
  const outcome = await read([many]);
  expect([outcome.pages.length, outcome.limit]).toEqual([50_000, "urls"]);
  expect(outcome.problem).toContain("more than 50,000");
  const enough = await read([urlset(Array.from({ length: 50_000 }, (_, index) => `${index}`))]);
  expect([enough.pages.length, enough.limit, enough.problem]).toEqual([50_000, null, null]);
});

test("stops at its budget of bytes, packed or not, without unpacking more", async () => {
  const long = urlset(Array.from({ length: 3_000 }, (_, index) => `${index}`));
  for (const body of [long, gzipSync(long)]) {
    const outcome = await read([body], { maxBytes: 100_000 });
    expect(outcome.limit).toBe("bytes");
    expect(outcome.pages.length).toBeGreaterThan(1_000);
    expect(outcome.pages.length).toBeLessThan(3_000);
  }
  const bomb = gzipSync(Buffer.concat([Buffer.from("<urlset>"), Buffer.alloc(20_000_000, 0x20)]));
  expect((await read([bomb], { maxBytes: 1_000_000 })).limit).toBe("bytes");
});

test("reads a file that was packed twice, within its budget", async () => {
  const twice = gzipSync(gzipSync(urlset(["a", "b"])));
  expect(await read([twice])).toMatchObject({ pages: ["https://site.test/a", "https://site.test/b"], problem: null });
  const single = Array.from(twice, (byte) => Uint8Array.of(byte));
  expect(await read(single)).toEqual(await read([twice]));
  expect((await read([twice.subarray(0, -20)])).problem).toContain("damaged");
  const bomb = gzipSync(gzipSync(Buffer.concat([Buffer.from("<urlset>"), Buffer.alloc(20_000_000, 0x20)])));
  expect((await read([bomb], { maxBytes: 1_000_000 })).limit).toBe("bytes");
  // empty members unpack to nothing, so only the layer between shows the size
  const empty = gzipSync(Buffer.concat(Array.from({ length: 100_000 }, () => gzipSync(""))));
  expect((await read([empty], { maxBytes: 1_000_000 })).limit).toBe("bytes");
});

test("hands out at most what one piece holds, and waits for the taker", async () => {
  const sizes: number[] = [];
  let taking = 0;
  await readSitemap([urlset(Array.from({ length: 10_000 }, (_, index) => `${index}`))], { address }, async (batch) => {
    taking += 1;
    expect(taking).toBe(1);
    sizes.push(batch.pages.length);
    await Promise.resolve();
    taking -= 1;
  });
  expect(sizes.length).toBeGreaterThan(4);
  expect(Math.max(...sizes)).toBeLessThan(4_000);
});

test("drops the tracking parameters it is told to", async () => {
  const outcome = await read([urlset(["a?utm_source=x&amp;b=1", "a?b=1"])], { dropParams: ["utm_*"] });
  expect(outcome).toMatchObject({ pages: ["https://site.test/a?b=1"], duplicates: 1 });
});

test("a fault of the source or the taker is not swallowed", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield urlset(["a"]).subarray(0, 20);
    await Promise.reject(new Error("connection reset"));
  }
  await expect(read(broken())).rejects.toThrow("connection reset");
  async function* brokenArchive(): AsyncGenerator<Uint8Array> {
    yield gzipSync(urlset(["a"])).subarray(0, 20);
    await Promise.reject(new Error("connection reset"));
  }
  await expect(read(brokenArchive())).rejects.toThrow("connection reset");
  const refusing = readSitemap([urlset(["a"])], { address }, () => Promise.reject(new Error("no room")));
  await expect(refusing).rejects.toThrow("no room");
});

test.each([
  ["nested elements", `<urlset>${"<url>".repeat(500_000)}`],
  ["stray end tags", `<urlset>${"</x>".repeat(500_000)}</urlset>`],
  ["one endless address", `<urlset><url><loc>https://site.test/${"x".repeat(2_000_000)}</loc></url></urlset>`],
  ["one endless tag name", `<urlset><${"x".repeat(2_000_000)}`],
  ["one endless attribute", `<urlset a="${"x".repeat(2_000_000)}`],
  ["one endless comment", `<urlset><!--${"-".repeat(2_000_000)}`],
  ["raw ampersands", `<urlset><url><loc>https://site.test/${"&".repeat(2_000_000)}</loc></url></urlset>`],
  ["an endless line", `https://site.test/a\n${"x".repeat(2_000_000)}`],
  ["line ends", `https://site.test/a\n${"\n".repeat(2_000_000)}`],
  ["NULs", `<urlset>${"\0".repeat(2_000_000)}</urlset>`],
])("survives %s", async (_, text) => {
  const outcome = await read([Buffer.from(text)]);
  expect(outcome.pages.length).toBeLessThanOrEqual(1);
});

test("never throws, whatever the bytes", async () => {
  const token = fc.constantFrom(
    "<urlset>",
    "</urlset>",
    "<url>",
    "</url>",
    "<loc>",
    "</loc>",
    "https://site.test/a",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "&",
    "&amp;",
    "<?xml ",
    "?>",
    "<sitemap>",
    "\n",
    "\0",
    "<",
    ">",
    "é",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(token, { maxLength: 40 }), fc.boolean(), async (tokens, isPacked) => {
      const bytes = Buffer.from(tokens.join(""));
      const whole = await read([isPacked ? gzipSync(bytes) : bytes]);
      const parted = await read(
        isPacked ? [gzipSync(bytes)] : [bytes.subarray(0, 7), bytes.subarray(7, 8), bytes.subarray(8)],
      );
      expect(parted).toEqual(whole);
    }),
    { numRuns: 300 },
  );
});
