import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { QueryInput } from "@web-tester/contracts/api";
import { searchFrame, type SearchResult } from "@web-tester/contracts/entities/search";
import { crawl, fetchAll, register } from "../support/job.js";
import { invariantFaults } from "../support/invariants.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Counts the phrase as a person would by reading: accents look the same however they are written; case is as in regular expressions. */
function count(text: string, phrase: string): number {
  const pattern = phrase.normalize("NFC").replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return [...text.normalize("NFC").replaceAll(/\r\n?/g, "\n").matchAll(new RegExp(pattern, "giu"))].length;
}

const page = (title: string, body: string) =>
  `<!doctype html>\n<title>${title}</title>\n<body>\n${body}\n<a href="/">up</a>`;
const paths = ["/a.html", "/b.html", "/c.html", "/d.html", "/long.html"];
const long = "<td>Zelle</td><td>cell</td>".repeat(3_000);

const pages: Record<string, string> = {
  "/": page("Root", paths.map((path) => `<a href="${path}">${path}</a>`).join("\n")),
  "/a.html": page(
    "A",
    "<p>Retry-After: 100% of <b>retr</b>ies \\ \"quoted\" 'single' under_score\n<p>un<i>like</i>ly &amp; caf&eacute;",
  ),
  "/b.html": page("B", "<p>İstanbul ILIK ılık ılIK STRASSE straße STRAẞE\r\n<p>aaaa AAAA Å \u212b \u212a ſ"),
  "/c.html": page("C", "<p>emoji 👩‍👩‍👧 and 🙂🙂 then עברית مرحبا and e\u0301 \u00e9 日本語テキスト"),
  "/d.html": page(
    "D",
    "<p>two\nlines\nin one\n<p>retry-after twice: RETRY-AFTER\n<script>var hidden = 'retry-after';</script>",
  ),
  "/long.html": page("Long", long),
};

describe("search", () => {
  let product: Product;
  let site: Site;
  let id = "";
  /** The stored pages by snapshot id. */
  const htmlOf = new Map<string, { path: string; number: number; html: string }>();

  const ask = (query: Partial<QueryInput<"search">> & { q: string }) =>
    product.rest.call("search", { query: { testobject_id: id, ...query } });
  const waiting = async () =>
    (await product.db.query(`SELECT 1 FROM search_entry WHERE pack_id IS NULL AND problem IS NULL LIMIT 1`)).length > 0;
  const packed = () => until("all contents in packs", async () => !(await waiting()));
  const pathOf = ({ testInstanceUrl }: SearchResult) => new URL(testInstanceUrl).pathname;

  /** Computes the expected results from the stored documents themselves. */
  function expected(phrase: string): string[] {
    return [...htmlOf]
      .map(([snapshotId, { path, number, html }]) => ({ snapshotId, path, number, n: count(html, phrase) }))
      .filter(({ n }) => n > 0)
      .toSorted((one, other) => (one.path === other.path ? other.number - one.number : one.path < other.path ? -1 : 1))
      .map(({ path, number, n }) => `${path} #${number}: ${n}`);
  }
  const shown = (results: readonly SearchResult[]) =>
    results.map((result) => `${pathOf(result)} #${result.snapshotNumber}: ${result.matchCount}`);

  async function readAll(): Promise<void> {
    const rows = await product.db.query<{ id: string; url: string; number: number }>(
      `SELECT s.id, i.url, s.number FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 AND s.state = 'done'`,
      [id],
    );
    for (const row of rows) {
      const answer = await product.rest.call("getTestSnapshot", { params: { id: row.id }, query: {} });
      if (!Array.isArray(answer))
        htmlOf.set(row.id, { path: new URL(row.url).pathname, number: row.number, html: answer.html });
    }
  }

  beforeAll(async () => {
    [product, site] = await Promise.all([shareProduct(), startSite(pages)]);
    id = await register(product, site.url, "Searched");
    await crawl(product, id);
    await fetchAll(product, id);
    await packed();
    site.pages.set("/a.html", page("A", "<p>Retry-After is gone, so is nothing"));
    site.pages.set("/d.html", page("D", "<p>nothing here"));
    await fetchAll(product, id);
    site.pages.set("/d.html", pages["/d.html"] ?? "");
    await fetchAll(product, id);
    await packed();
    await readAll();
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
  });

  const phrases = [
    "retry-after",
    "RETRY-AFTER",
    "100%",
    "%",
    "_",
    "under_score",
    "\\",
    '"quoted"',
    "'",
    "e",
    "re",
    "<p>",
    "</td><td>",
    "td><td",
    "<td>Zelle</td><td>cell</td><td>",
    "👩‍👩‍👧",
    "🙂",
    "עברית",
    "مرحبا",
    "e\u0301",
    "\u00e9",
    "日本",
    "語",
    "ılık",
    "ILIK",
    "ilik",
    "i",
    "İ",
    "straße",
    "STRASSE",
    "ß",
    "aa",
    "aaa",
    "å",
    "k",
    "s",
    "two\nlines",
    "\n",
    "lines\nin",
    "straẞe\n<p>aaaa",
    "no such text anywhere",
    "&eacute;",
    "unlikely",
    ...paths,
  ];
  test("finds phrases of all kinds where a person would, and as often", async () => {
    for (const phrase of phrases) expect([phrase, shown(await ask({ q: phrase }))]).toEqual([phrase, expected(phrase)]);
  });

  test("finds nothing that does not fold to the phrase: the oracle can tell", () => {
    expect(count("İ", "i")).toBe(0);
    expect(count("straẞe", "STRASSE")).toBe(0);
    expect(count("STRAẞE", "straße")).toBe(1);
    expect([count("cafe\u0301", "caf\u00e9"), count("caf\u00e9", "cafe")]).toEqual([1, 0]);
  });

  test("answers with the fields of a result", async () => {
    const [result] = await ask({ q: "İstanbul" });
    expect(result).toEqual({
      testInstanceId: expect.any(String),
      testInstanceName: "B",
      testInstanceUrl: `${site.url}b.html`,
      snapshotId: expect.any(String),
      snapshotIndex: 0,
      snapshotNumber: 3,
      snapshotCreatedAt: expect.any(String),
      matchCount: 1,
    });
  });

  test("limits the search to one index, 0 = latest, and to one instance", async () => {
    expect(shown(await ask({ q: "retry-after", idx: 0 }))).toEqual(["/a.html #3: 1", "/d.html #3: 3"]);
    expect(shown(await ask({ q: "retry-after", idx: 1 }))).toEqual(["/a.html #2: 1"]);
    expect(await ask({ q: "retry-after", idx: 7 })).toEqual([]);
    const [result] = await ask({ q: "emoji" });
    const ofInstance = await product.rest.call("search", {
      query: { q: "e", testinstance_id: result?.testInstanceId ?? "" },
    });
    expect(new Set(ofInstance.map(pathOf))).toEqual(new Set(["/c.html"]));
  });

  test("finds what a reader sees in the scope text: entities and inline tags resolved, scripts left out", async () => {
    const text = (q: string) => ask({ q, scope: "text", idx: 2 });
    expect(shown(await text("unlikely & café"))).toEqual(["/a.html #1: 1"]);
    expect(shown(await text("retries"))).toEqual(["/a.html #1: 1"]);
    expect(shown(await text("retry-after"))).toEqual(["/a.html #1: 1", "/d.html #1: 2"]);
    // a phrase as it may be copied from a page, with soft hyphens and a no-break space
    expect(shown(await text("un\u00ADlikely\u00A0 & café"))).toEqual(["/a.html #1: 1"]);
    expect(await text("\u00AD")).toEqual([]);
    expect(await text("hidden")).toEqual([]);
    expect(await ask({ q: "unlikely & café", scope: "html" })).toEqual([]);
  });

  test("gives pages of results that together are the whole", async () => {
    const seen: string[] = [];
    let cursor = "";
    do {
      const response = await fetch(
        `${product.address}/api/search?q=e&testobject_id=${id}&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      const results = (await response.json()) as SearchResult[];
      expect(results.length).toBeLessThanOrEqual(2);
      seen.push(...shown(results));
      cursor = response.headers.get("X-Search-Cursor") ?? "";
    } while (cursor !== "");
    expect(seen).toEqual(expected("e"));
  });

  test("streams the same page, and says what is left out where the time is too short", async () => {
    const lines = async (more: string) => {
      const text = await (
        await fetch(`${product.address}/api/search/stream?q=e&testobject_id=${id}&limit=100${more}`)
      ).text();
      return text
        .trim()
        .split("\n")
        .map((line) => searchFrame.parse(JSON.parse(line)));
    };
    const last = (await lines("")).at(-1);
    expect(last).toMatchObject({ type: "page", cursor: null, partial: null });
    expect(last?.type === "page" ? shown(last.items) : []).toEqual(expected("e"));
    const late = (await lines("&time_ms=0")).at(-1);
    expect(late).toMatchObject({
      type: "page",
      items: [],
      partial: expect.stringContaining("The search timed out after 0 of"),
    });
    const answer = await fetch(`${product.address}/api/search?q=e&testobject_id=${id}&time_ms=0`);
    expect([answer.status, answer.headers.get("X-Search-Partial")]).toEqual([
      200,
      expect.stringContaining("The search timed out"),
    ]);
  });

  test("sums up matches, snapshots and pages", async () => {
    // phrases in most contents, in few and in none are summed up in different ways
    for (const q of ["e", "retry-after", "nowhere to be found"]) {
      const results = await ask({ q });
      expect([q, await product.rest.call("searchSummary", { query: { q, testobject_id: id } })]).toEqual([
        q,
        {
          matches: results.reduce((sum, { matchCount }) => sum + matchCount, 0),
          snapshots: results.length,
          instances: new Set(results.map(({ testInstanceId }) => testInstanceId)).size,
          instancesTotal: paths.length + 1,
          partial: null,
        },
      ]);
    }
    expect(
      await product.rest.call("searchSummary", { query: { q: "retry-after", testobject_id: id, idx: 0 } }),
    ).toMatchObject({ matches: 4, snapshots: 2, instances: 2 });
  });

  test("tells when a phrase came and went on each page", async () => {
    const { items } = await product.rest.call("searchHistory", { query: { q: "retry-after", testobject_id: id } });
    expect(
      items.map(({ testInstanceUrl, events, first, last, present, snapshotsWith }) => ({
        path: new URL(testInstanceUrl).pathname,
        first: first.snapshotNumber,
        last: last.snapshotNumber,
        present,
        snapshotsWith,
        events: events.map(
          ({ kind, snapshotNumber, matchCount, matchCountBefore }) =>
            `${kind} #${snapshotNumber} ${matchCountBefore}→${matchCount}`,
        ),
      })),
    ).toEqual([
      { path: "/a.html", first: 1, last: 3, present: true, snapshotsWith: 3, events: ["added #1 0→1"] },
      {
        path: "/d.html",
        first: 1,
        last: 3,
        present: true,
        snapshotsWith: 2,
        events: ["added #1 0→3", "removed #2 3→0", "added #3 0→3"],
      },
    ]);
  });

  test("opens a snapshot at its matches", async () => {
    const [result] = await ask({ q: "retry-after", idx: 0 });
    const matches = await product.rest.call("getSnapshotMatches", {
      params: { id: result?.snapshotId ?? "" },
      query: { q: "RETRY-after" },
    });
    expect(matches).toEqual({
      matches: 1,
      lines: 1,
      items: [
        { line: 4, text: "<p>Retry-After is gone, so is nothing", cutStart: false, cutEnd: false, ranges: [[3, 14]] },
      ],
    });
  });

  test("finds an accent however it is written, and shows where", async () => {
    for (const q of ["and e\u0301 \u00e9", "AND \u00c9 E\u0301"]) {
      const [result] = await ask({ q, idx: 0, scope: "text" });
      const matches = await product.rest.call("getSnapshotMatches", {
        params: { id: result?.snapshotId ?? "" },
        query: { q, scope: "text" },
      });
      const [line] = matches.items;
      expect(line?.ranges.map(([from, to]) => line.text.slice(from, to))).toEqual(["and \u00e9 \u00e9"]);
    }
  });

  test("finds what is in no pack yet", async () => {
    const [{ objects }] = (await product.db.query<{ objects: number }>(
      `WITH gone AS (DELETE FROM search_pack WHERE test_object_id = $1 RETURNING 1) SELECT count(*)::int AS objects FROM gone`,
      [id],
    )) as [{ objects: number }];
    expect(objects).toBeGreaterThan(0);
    expect(shown(await ask({ q: "retry-after" }))).toEqual(expected("retry-after"));
    // contents without a pack wait again: the index is rebuilt from the rows alone
    await packed();
    expect(shown(await ask({ q: "</td><td>" }))).toEqual(expected("</td><td>"));
  });

  test("refuses what it cannot look for, in words", async () => {
    const status = async (query: string) => {
      const response = await fetch(`${product.address}/api/search?${query}`);
      const { message } = (await response.json()) as { message?: string };
      return [response.status, message];
    };
    expect(await status("q=a")).toEqual([400, expect.stringContaining("testobject_id")]);
    expect(await status(`testobject_id=${id}`)).toEqual([400, expect.stringContaining("q: is missing")]);
    expect(await status(`q=${"x".repeat(2_001)}&testobject_id=${id}`)).toEqual([
      400,
      expect.stringContaining("at most 2000 characters"),
    ]);
    expect(await status(`q=a&testobject_id=${id}&cursor=nonsense`)).toEqual([400, expect.stringContaining("cursor")]);
    expect(await status(`q=a&testobject_id=00000000-0000-7000-8000-000000000000`)).toEqual([404, expect.any(String)]);
    expect(await ask({ q: "" })).toEqual([]);
    expect(await ask({ q: "x".repeat(2_000) })).toEqual([]);
  });

  test("keeps every invariant, and goes with its object", async () => {
    expect(await invariantFaults(product)).toEqual([]);
    await product.rest.call("deleteTestObject", { params: { id } });
    product.acknowledged.length = 0;
    await until(
      "no searchable text is left",
      async () =>
        (await product.db.query(`SELECT 1 FROM search_pack UNION ALL SELECT 1 FROM search_entry`)).length === 0,
    );
  });
});
