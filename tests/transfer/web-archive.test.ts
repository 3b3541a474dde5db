import { createHash } from "node:crypto";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { z } from "zod";
import { crawl, fetchAll, register } from "../support/job.js";
import { invariantFaults } from "../support/invariants.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { compared, deleteObject, upload } from "../support/transfer.js";
import { http, page, record, zip } from "../support/web-archives.js";

/** Web archives are imported as history from before the monitoring; a note names what of them is left out. */
let product: Product;

beforeAll(async () => {
  product = await shareProduct();
});
afterAll(async () => {
  expect(await invariantFaults(product)).toEqual([]);
  await product.stop();
});

const answer = z.object({
  objects: z.int(),
  instances: z.int(),
  snapshots: z.int(),
  existing: z.object({ snapshots: z.int() }),
  notes: z.array(z.string()),
});
async function imported(file: Uint8Array, query = ""): Promise<z.infer<typeof answer>> {
  const { status, text } = await upload(product, [file], {
    query,
    headers: { "content-type": "application/octet-stream" },
  });
  expect([status, text]).toEqual([200, text]);
  await compared(product);
  return answer.parse(JSON.parse(text));
}
const refused = (file: Uint8Array) =>
  upload(product, [file], { headers: { "content-type": "application/octet-stream" } });

/** Returns the snapshots of an object's pages, each with its content, time, change and files. */
const history = (url: string) =>
  product.db.query(
    `SELECT i.url, s.number, encode(s.content_hash, 'hex') AS hash, s.charset, to_char(s.fetched_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS at, c.kind,
       (SELECT json_agg(json_build_array(a.url, a.kind, a.extension, encode(a.content_hash, 'hex')) ORDER BY a.url) FROM snapshot_asset a WHERE a.list_id = s.files_id) AS files
     FROM test_object o JOIN test_instance i ON i.test_object_id = o.id JOIN test_snapshot s ON s.test_instance_id = i.id LEFT JOIN change c ON c.snapshot_id = s.id
     WHERE o.url = $1 AND s.state = 'done' ORDER BY 1, 2`,
    [url],
  );
const forget = async (url: string) => {
  for (const { id } of await product.db.query<{ id: string }>(`SELECT id FROM test_object WHERE url = $1`, [url]))
    await deleteObject(product, id);
};

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
const info = record("warcinfo", "urn:none", "2015-01-01T00:00:00Z", "software: test\r\n");

test("a WACZ that was exported brings the same pages, files and times", async () => {
  const image = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const site: Site = await startSite({
    "/": (_request, response) =>
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(
          Buffer.from(
            "<!doctype html><meta charset=iso-8859-1><title>Caf\xe9</title><a href=/b>b</a><a href=/from>c</a>",
            "latin1",
          ),
        ),
    "/b": '<!doctype html><title>B</title><link rel=stylesheet href="/s.css"><p>page b',
    "/from": (_request, response) => response.writeHead(302, { location: "/to" }).end(),
    "/to": "<!doctype html><title>To</title><p>page to",
    "/s.css": (_request, response) =>
      response.writeHead(200, { "content-type": "text/css" }).end("p { background: url(/i.png) }"),
    "/i.png": (_request, response) => response.writeHead(200, { "content-type": "image/png" }).end(image),
  });
  try {
    const id = await register(product, site.url, "Kept elsewhere");
    await crawl(product, id);
    await fetchAll(product, id);
    await compared(product);
    const before = await history(site.url);
    expect(before.length).toBeGreaterThan(2);
    const file = Buffer.from(
      await (await fetch(`${product.address}/api/export?format=wacz&testObjectId=${id}`)).arrayBuffer(),
    );
    // imported into the object that it was exported from, the file adds nothing
    const known = { snapshots: 0, existing: { snapshots: before.length } };
    expect(await imported(file, `?testObjectId=${id}`)).toMatchObject(known);
    await deleteObject(product, id);
    const { notes, snapshots } = await imported(file);
    expect([notes, snapshots]).toEqual([[], before.length]);
    expect(await history(site.url)).toEqual(before);
    // again, into the object that exists now: nothing new
    const [object] = await product.db.query<{ id: string }>(`SELECT id FROM test_object WHERE url = $1`, [site.url]);
    expect(await imported(file, `?testObjectId=${object?.id}`)).toMatchObject(known);
    await deleteObject(product, object?.id ?? "");
  } finally {
    await site.close();
  }
});

test.each(["as it is exported", "as it was exported before"])(
  "a page that had not changed since an earlier fetch, %s",
  async (how) => {
    const body = "<!doctype html><title>Kept</title><p>as before";
    const site = await startSite({
      "/": (request, response) => {
        const headers = { etag: '"1"', "content-type": "text/html" };
        if (request.headers["if-none-match"] === '"1"') response.writeHead(304, headers).end();
        else response.writeHead(200, headers).end(body);
      },
    });
    try {
      const id = await register(product, site.url, "Unchanged");
      await crawl(product, id);
      await fetchAll(product, id);
      await fetchAll(product, id);
      const exported = await fetch(`${product.address}/api/export?format=wacz&testObjectId=${id}&idx=0`);
      const file = Buffer.from(await exported.arrayBuffer());
      await deleteObject(product, id);
      // the answer was 304, but what is archived is the page: replayed or imported, a 304 would show nothing
      const old = record("response", site.url, "2020-03-01T10:00:00Z", http(body, {}, "304 Not Modified"));
      const { notes, snapshots } = await imported(how === "as it is exported" ? file : Buffer.concat([info, old]));
      expect([notes, snapshots]).toEqual([[], 1]);
      expect(await history(site.url)).toMatchObject([{ url: site.url, hash: sha256(body) }]);
      const status = `SELECT s.http_status FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.url = $1`;
      expect(await product.db.query(status, [site.url])).toEqual([{ http_status: 200 }]);
      await forget(site.url);
    } finally {
      await site.close();
    }
  },
);

test("a WARC becomes history: codings, revisits, redirects, files nearest in time, older than what was fetched here", async () => {
  const url = "http://old.example/";
  const [first, second] = [page("in 2015"), page("in 2016")];
  const chunked = Buffer.from(
    `5\r\n${first.slice(0, 5)}\r\n${(first.length - 5).toString(16)}\r\n${first.slice(5)}\r\n0\r\n\r\n`,
  );
  const file = Buffer.concat([
    info,
    record("response", url, "2015-03-01T10:00:00Z", http(chunked, { "Transfer-Encoding": "chunked" }), {
      "WARC-Payload-Digest": "sha1:AAAA",
    }),
    record("response", `${url}s.css`, "2015-03-01T10:00:01Z", http("p{color:red}", { "Content-Type": "text/css" })),
    record("request", url, "2015-03-01T10:00:00Z", "GET / HTTP/1.1\r\n\r\n"),
    record("response", url, "2016-03-01T10:00:00Z", http(gzipSync(second), { "Content-Encoding": "gzip" })),
    record(
      "response",
      `${url}s.css`,
      "2016-03-01T10:00:01Z",
      http(brotliCompressSync("p{color:blue}"), { "Content-Type": "text/css", "Content-Encoding": "br" }),
    ),
    record("revisit", url, "2017-03-01T10:00:00Z", http("", {}), { "WARC-Payload-Digest": "sha1:AAAA" }),
    record("revisit", `<http://www.old.example/>`, "2018-03-01T10:00:00Z", "", {
      "WARC-Refers-To-Target-URI": url,
      "WARC-Refers-To-Date": "2016-03-01T10:00:00Z",
    }),
    record("response", `${url}a`, "2018-03-01T10:00:02Z", http("", { Location: "/b" }, "301 Moved")),
    record("response", `${url}b`, "2018-03-01T10:00:03Z", http(page("b"))),
    record("response", "https://ads.example/frame", "2018-03-01T10:00:04Z", http(page("buy"))),
    record("response", `${url}gone`, "2018-03-01T10:00:05Z", http("gone", {}, "404 Not Found")),
    record("response", "dns:old.example", "2018-03-01T10:00:05Z", "20180301 old.example A 1.2.3.4"),
    record("revisit", `${url}never`, "2018-03-01T10:00:06Z", "", { "WARC-Payload-Digest": "sha1:BBBB" }),
    record("response", `${url}wrong`, "2018-03-01T10:00:07Z", http("<html>x"), {
      "WARC-Block-Digest": `sha256:${sha256("another")}`,
    }),
  ]);
  const { notes, ...counts } = await imported(gzipSync(file));
  expect(counts).toMatchObject({ objects: 1, snapshots: 5 });
  expect(notes.sort()).toEqual([
    "Left out: 1 pages of other sites than old.example (the first: https://ads.example/frame).",
    "Left out: 1 records that do not match their digest (the first: http://old.example/wrong).",
    "Left out: 1 records that repeat an earlier record which is missing in the file (the first: http://old.example/never).",
    "Left out: 1 records whose addresses are not http or https (the first: dns:old.example).",
    "Left out: 1 responses with an error status (the first: 404 http://old.example/gone).",
  ]);
  const rows = await history(url);
  const css = (words: string) => [[`${url}s.css`, "stylesheet", "css", sha256(words)]];
  expect(rows).toMatchObject([
    { url, number: 1, hash: sha256(first), at: "2015-03-01 10:00:00", kind: "first", files: css("p{color:red}") },
    { url, number: 2, hash: sha256(second), at: "2016-03-01 10:00:00", kind: "changed", files: css("p{color:blue}") },
    { url, number: 3, hash: sha256(first), at: "2017-03-01 10:00:00", files: css("p{color:blue}") },
    { url: `${url}a`, hash: sha256(page("b")) },
    { url: "http://www.old.example/", hash: sha256(second), at: "2018-03-01 10:00:00" },
  ]);
  await forget(url);
});

test("a ZIP of a CDX list and the files that it names, by digest and by time, packed or not", async () => {
  const url = "http://listed.example/";
  const digest = "DRFCKQGHSIKMFDEQZYCHFOOPZSW5NG5R"; // the digest of no file here
  const body = Buffer.from(page("by time"));
  const lines = [
    " CDX N b a m s k r M S V g",
    `example,listed)/ 20100102030405 ${url} text/html 200 ${digest} - - 100 0 none.warc.gz`,
    `example,listed)/x 20110102030405 {"url": "${url}x", "mime": "text/html", "status": "200", "digest": "sha1:${digest}"}`,
    "no line of a list",
  ];
  for (const packed of [false, true]) {
    const file = zip(
      {
        "list.cdx": Buffer.from(lines.join("\n")),
        "web/20100102030405id_/http:/listed.example/": body,
        "notes.txt": Buffer.from("x"),
      },
      { packed },
    );
    // a name that ends with a slash is a folder
    const named = zip(
      { "list.cdx": Buffer.from(lines.join("\n")), "web/20100102030405id_/listed.example": body },
      { packed },
    );
    expect((await refused(file)).status).toBe(400);
    expect(await imported(named)).toMatchObject({
      objects: 1,
      snapshots: 1,
      notes: ["Left out: 1 index lines whose captures are not in the file (the first: http://listed.example/x)."],
    });
    expect(await history(url)).toMatchObject([{ url, hash: sha256(body), at: "2010-01-02 03:04:05" }]);
    await forget(url);
  }
});

test("revisits as Wget writes them bring their page; what is only a part of one is no page", async () => {
  const url = "http://again.example/";
  const [first, long] = [page("once"), http(page("x".repeat(500)))];
  const digest = "sha1:AAAA";
  const whole = `sha256:${sha256(http(first))}`;
  const file = Buffer.concat([
    record("response", url, "2015-03-01T10:00:00Z", http(first), {
      "WARC-Payload-Digest": digest,
      "WARC-Block-Digest": whole,
    }),
    // the digest is that of the block as it was before the payload was left out
    record("revisit", `<${url}>`, "2016-03-01T10:00:00Z", http(""), {
      "WARC-Payload-Digest": digest,
      "WARC-Block-Digest": whole,
      "WARC-Truncated": "length",
    }),
    record("response", `${url}cut`, "2015-03-01T10:00:01Z", long.subarray(0, 300), { "WARC-Truncated": "time" }),
    record("response", `${url}parts`, "2015-03-01T10:00:02Z", long.subarray(0, 300), { "WARC-Segment-Number": "1" }),
    record("continuation", `${url}parts`, "2015-03-01T10:00:02Z", long.subarray(300), { "WARC-Segment-Number": "2" }),
    record("response", `${url}range`, "2015-03-01T10:00:03Z", http("<html>", {}, "206 Partial Content")),
  ]);
  const { notes, snapshots } = await imported(file);
  expect(snapshots).toBe(2);
  expect(notes.sort()).toEqual([
    `Left out: 1 records split into several parts (the first: ${url}parts).`,
    `Left out: 1 records that were cut off when they were made (the first: ${url}cut).`,
    `Left out: 1 responses with only a part of a page (the first: ${url}range).`,
  ]);
  expect(await history(url)).toMatchObject([
    { url, hash: sha256(first), at: "2015-03-01 10:00:00" },
    { url, hash: sha256(first), at: "2016-03-01 10:00:00" },
  ]);
  await forget(url);
});

test("a record that is the same as one in another file does not become another version of its page", async () => {
  const url = "http://elsewhere.example/";
  const of = (date: string) => ({ "WARC-Refers-To-Target-URI": url, "WARC-Refers-To-Date": date });
  const file = Buffer.concat([
    record("response", url, "2016-03-01T10:00:00Z", http(page("second")), { "WARC-Payload-Digest": "sha1:BBBB" }),
    record("revisit", url, "2017-03-01T10:00:00Z", http(""), {
      "WARC-Payload-Digest": "sha1:AAAA",
      ...of("2015-03-01T10:00:00Z"),
    }),
    record("revisit", url, "2018-03-01T10:00:00Z", http(""), { "WARC-Payload-Digest": "sha1:AAAA" }),
    // the record is in the file, and its time has a fraction of a second
    record("revisit", url, "2019-03-01T10:00:00Z", http(""), of("2016-03-01T10:00:00.5Z")),
    // the server answered that nothing had changed
    record("revisit", url, "2020-03-01T10:00:00Z", http("", {}, "304 Not Modified")),
  ]);
  const { notes } = await imported(file);
  expect(notes).toEqual([
    `Left out: 2 records that repeat an earlier record which is missing in the file (the first: ${url}).`,
  ]);
  expect(await history(url)).toMatchObject(
    ["2016", "2019", "2020"].map((year) => ({ hash: sha256(page("second")), at: `${year}-03-01 10:00:00` })),
  );
  await forget(url);
});

test("a page that is asked for itself soon after a redirect to it has a history of its own", async () => {
  const url = "http://moved.example/";
  const file = Buffer.concat([
    record("response", `${url}old`, "2018-03-01T10:00:00Z", http("", { Location: "/new" }, "301 Moved")),
    record("response", `${url}new`, "2018-03-01T10:00:01Z", http(page("new"))),
    record("response", `${url}new`, "2018-03-01T10:00:31Z", http(page("new later"))),
  ]);
  expect(await imported(file)).toMatchObject({ notes: [], snapshots: 2 });
  expect(await history(url)).toMatchObject([
    { url: `${url}new`, hash: sha256(page("new later")), at: "2018-03-01 10:00:31" },
    { url: `${url}old`, hash: sha256(page("new")), at: "2018-03-01 10:00:01" },
  ]);
  await forget(url);
});

test("a WACZ has a page and those that lead to it, each at its own time", async () => {
  const url = "http://led.example/";
  const at = (minute: number, second = 0) => `2018-03-01T10:0${minute}:0${second}Z`;
  const to = (minute: number) => record("response", `${url}to`, at(minute, 1), http(page("to")));
  const from = (path: string, minute: number) =>
    record("response", `${url}${path}`, at(minute), http("", { Location: "/to" }, "301 Moved"));
  await imported(Buffer.concat([from("from", 0), to(0), to(3), from("was", 6), to(6)]));
  const before = await history(url);
  expect(before).toMatchObject(["from", "to", "was"].map((path) => ({ url: `${url}${path}` })));
  const [object] = await product.db.query<{ id: string }>(`SELECT id FROM test_object WHERE url = $1`, [url]);
  const exported = await fetch(`${product.address}/api/export?format=wacz&testObjectId=${object?.id}`);
  const file = Buffer.from(await exported.arrayBuffer());
  expect(await imported(file)).toMatchObject({ snapshots: 0, existing: { snapshots: 3 } });
  await forget(url);
  await imported(file);
  expect(await history(url)).toEqual(before);
  await forget(url);
});

test("a file that is damaged or cut off brings what comes before, and says so; one without a page changes nothing", async () => {
  const url = "http://cut.example/";
  const good = record("response", url, "2012-01-01T00:00:00Z", http(page("whole")));
  const long = record("response", `${url}x`, "2012-01-01T00:00:01Z", http(page("x".repeat(200_000))));
  const packed = gzipSync(Buffer.concat([good, long]), { level: 0 });
  const cases: [string, "cut off" | "damaged", Buffer][] = [
    ["a record that ends early", "cut off", Buffer.concat([good, long]).subarray(0, -1_000)],
    ["what is no record", "damaged", Buffer.concat([good, Buffer.from("WOT?"), long])],
    [
      "a length that is none",
      "damaged",
      Buffer.concat([
        good,
        Buffer.from(long.toString("latin1").replace(/Content-Length: \d+/, "Content-Length: -1"), "latin1"),
      ]),
    ],
    ["a header without an end", "damaged", Buffer.concat([good, Buffer.from(`WARC/1.0\r\nX: ${"y".repeat(100_000)}`)])],
    ["compression that breaks off", "cut off", packed.subarray(0, packed.length - 100_000)],
    [
      "a ZIP that ends early",
      "cut off",
      zip({ "archive/data.warc": Buffer.concat([good, long]) }).subarray(0, 100_000),
    ],
  ];
  for (const [what, state, file] of cases) {
    const { notes, snapshots } = await imported(file);
    expect([what, snapshots, notes.length]).toEqual([what, 1, 1]);
    expect([what, notes[0]]).toEqual([what, expect.stringContaining(`is ${state}: `)]);
    await forget(url);
  }
  const before = await product.db.query(`SELECT id FROM test_object`);
  for (const file of [
    info,
    record("response", url, "2012-01-01T00:00:00Z", http("x", { "Content-Type": "text/plain" })),
    zip({ "a.txt": Buffer.from("a") }),
  ]) {
    const { status, text } = await refused(file);
    expect([status, JSON.parse(text).message]).toEqual([
      400,
      expect.stringContaining("contains no page that can be imported"),
    ]);
  }
  expect(await product.db.query(`SELECT id FROM test_object`)).toEqual(before);
});

test("a hostile file costs a bounded amount, and names in it lead nowhere", async () => {
  const url = "http://bomb.example/";
  const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024));
  const file = Buffer.concat([
    record("response", url, "2012-01-01T00:00:00Z", http(page("one"))),
    record("response", `${url}bomb`, "2012-01-01T00:00:00Z", http(bomb, { "Content-Encoding": "gzip" })),
    record("response", `${url}coded`, "2012-01-01T00:00:00Z", http("x", { "Content-Encoding": "gzip, gzip, gzip" })),
    record("response", `${url}${"a".repeat(5_000)}`, "2012-01-01T00:00:00Z", http(page("long"))),
    record("response", "file:///etc/passwd", "2012-01-01T00:00:00Z", http(page("file"))),
    record("response", `${url}when`, "never", http(page("when"))),
    record("response", `${url}long-page`, "2012-01-01T00:00:00Z", http(page("x".repeat(11 * 1024 * 1024)))),
    record("response", `${url}\u0000nul`, "2012-01-01T00:00:00Z", http(page("nul"), { "X-Nul": "a\u0000b" })),
  ]);
  const { notes, snapshots } = await imported(
    zip({ "../../archive/x.warc": file, "/etc/passwd.warc": Buffer.alloc(0) }),
  );
  expect(snapshots).toBeGreaterThanOrEqual(1);
  const words = notes.join(" ");
  for (const reason of ["in an unknown encoding", "characters", "not http or https", "without a time"])
    expect(words).toContain(reason);
  expect(words).toContain(`Left out: 1 pages of more than 10 MiB (the first: ${url}long-page).`);
  await forget(url);
});
