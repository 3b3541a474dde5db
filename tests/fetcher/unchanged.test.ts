import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { digestList, digestOfRows, type FinishedAsset, sweepFileLists } from "@web-tester/records/assets/file-lists";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register } from "../support/job.js";
import { compared } from "../support/transfer.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

/** An unchanged page costs only a request and a row: it is not compared, gets no list of files of its own, and no content is read. */
let product: Product;
let site: Site;
let objectId: string;
let headers: Record<string, string> = {};

const pages = ["/", "/a", "/b"];
const html = (path: string) =>
  `<link rel=stylesheet href="/site.css"><h1>${path}</h1>${pages.map((to) => `<a href="${to}">${to}</a>`).join("")}`;

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite({ "/": "" })]);
});
beforeEach(async () => {
  headers = {};
  for (const path of pages)
    site.pages.set(path, (request, response) => {
      const etag = `"${path}"`;
      const isKnown = request.headers["if-none-match"] === etag;
      response.writeHead(isKnown ? 304 : 200, { "content-type": "text/html", etag, ...headers });
      response.end(isKnown ? undefined : html(path));
    });
  site.pages.set("/site.css", (_request, response) => {
    response.writeHead(200, { "content-type": "text/css" }).end("h1 { color: green }");
  });
  objectId = await register(product, site.url);
  await product.rest.call("updateTestObject", { params: { id: objectId }, body: { asset_snapshots: true } });
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  await compared(product);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

/** The newest snapshot of each page. */
const newest = () =>
  product.db.query<{
    status: number;
    files: string;
    kind: string;
    previous: boolean;
    facts: number;
    changed: number;
    shown: string;
  }>(
    `SELECT DISTINCT ON (i.id) s.http_status AS status, s.files_id AS files, c.kind, c.state, i.status AS shown, c.files_changed AS changed,
       coalesce(jsonb_array_length(c.facts), 0) AS facts,
       c.previous_id IS NOT DISTINCT FROM (SELECT max(o.id::text)::uuid FROM test_snapshot o WHERE o.test_instance_id = i.id AND o.id < s.id) AS previous
     FROM test_instance i JOIN test_snapshot s ON s.test_instance_id = i.id LEFT JOIN change c ON c.snapshot_id = s.id
     WHERE i.test_object_id = $1 ORDER BY i.id, s.id DESC`,
    [objectId],
  );
const lists = async () =>
  (await product.db.query<{ id: string }>("SELECT id FROM file_list WHERE test_object_id = $1", [objectId])).map(
    ({ id }) => id,
  );

test("pages that need the same files share one list of them, and a fetch that finds nothing new adds none", async () => {
  const [list, ...others] = await lists();
  expect(others).toEqual([]);
  expect((await newest()).map(({ files }) => files)).toEqual([list, list, list]);
  await fetchAll(product, objectId);
  expect(await lists()).toEqual([list]);
  // without waiting for the differ, as unchanged pages are not sent to it
  expect(await newest()).toEqual(
    pages.map(() =>
      expect.objectContaining({
        status: 304,
        files: list,
        kind: "unchanged",
        state: "done",
        previous: true,
        shown: "unchanged",
      }),
    ),
  );
  expect(await invariantFaults(product)).toEqual([]);
});

test("the size that a page shows is put right, though the page has not changed", async () => {
  // an earlier version that still runs beside this one fetches pages without noting their sizes
  await product.db.query("UPDATE test_instance SET content_size = content_size + 1 WHERE test_object_id = $1", [
    objectId,
  ]);
  expect(await invariantFaults(product)).not.toEqual([]);
  await fetchAll(product, objectId);
  expect((await newest()).map(({ shown }) => shown)).toEqual(pages.map(() => "unchanged"));
  expect(await invariantFaults(product)).toEqual([]);
});

test("a file that changed is a change of pages that say they did not", async () => {
  site.pages.set("/site.css", (_request, response) => {
    response.writeHead(200, { "content-type": "text/css" }).end("h1 { color: red }");
  });
  await fetchAll(product, objectId);
  await compared(product);
  expect(await newest()).toEqual(
    pages.map(() => expect.objectContaining({ status: 304, kind: "changed", changed: 1 })),
  );
  expect(await lists()).toHaveLength(2);
});

test("what a page says beside its bytes is looked at all the same", async () => {
  headers = { "x-robots-tag": "noindex" };
  await fetchAll(product, objectId);
  await compared(product);
  expect(await newest()).toEqual(pages.map(() => expect.objectContaining({ status: 304, kind: "changed", facts: 1 })));
});

test("a list goes when no snapshot has it any more, and not before", async () => {
  const never = new AbortController().signal;
  await sweepFileLists(product.db, 0, never);
  expect(await lists()).toHaveLength(1);
  await product.db.query("UPDATE test_snapshot SET files_id = NULL WHERE files_id = ANY($1)", [await lists()]);
  await sweepFileLists(product.db, 60_000, never);
  expect(await lists()).toHaveLength(1);
  await sweepFileLists(product.db, 0, never);
  expect(await lists()).toEqual([]);
});

test("the database makes the same digest of a list", async () => {
  const file = (url: string, more: Partial<FinishedAsset> = {}): FinishedAsset => ({
    ...{ url, base_url: null, kind: "image", hash: null, content_type: "", extension: "", error: "Nothing was sent." },
    ...more,
  });
  const given = [
    [],
    [file("https://example.org/b"), file("https://example.org/a", { base_url: "https://example.org/c" })],
    [
      file("https://example.org/ü\n", {
        hash: "ab".repeat(32),
        error: null,
        content_type: "image/png",
        extension: "png",
      }),
    ],
  ];
  for (const files of given) {
    const [row] = await product.db.query<{ digest: string }>(
      `SELECT encode((${digestOfRows("jsonb_to_recordset($1::jsonb) AS f (url text, base_url text, kind text, hash text, content_type text, extension text, error text)")}), 'hex') AS digest`,
      [JSON.stringify(files)],
    );
    expect(row?.digest).toBe(digestList(files));
    expect(digestList(files.toReversed())).toBe(digestList(files));
  }
});
