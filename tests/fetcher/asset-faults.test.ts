import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { SnapshotAsset } from "@web-tester/contracts/entities/snapshot";
import { isWholeFileDue } from "@web-tester/fetcher/pure/conditional";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { collectUnused } from "@web-tester/records/contents/collect-contents";
import { file, png } from "../support/asset-site.js";
import { invariantFaults } from "../support/invariants.js";
import { fetchAll, register, runEnded, startFetch } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSecond } from "../support/second-worker.js";
import { startSite, type Page, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Files of pages while files change or never end, a fetcher is killed, or contents are collected. */
let product: Product;
let site: Site;
const hour = 3_600_000;

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite({})]);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

/** Creates a test object of pages and files below one path; its pages are loaded over HTTP and their files are kept. */
async function open(folder: string, pages: Record<string, Page>): Promise<string> {
  const id = await register(product, `${site.url}${folder}/`, folder);
  await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http", asset_snapshots: true } });
  for (const [name, page] of Object.entries(pages)) {
    site.pages.set(`/${folder}/${name}`, page);
    if (!name.endsWith(".html")) continue;
    await product.db.query(`INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, $3)`, [
      id,
      `${site.url}${folder}/${name}`,
      name,
    ]);
  }
  return id;
}

async function newest(objectId: string, name: string): Promise<{ id: string; html: string; assets: SnapshotAsset[] }> {
  const [row] = await product.db.query<{ id: string }>(
    `SELECT s.id FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 AND i.name = $2 ORDER BY s.id DESC LIMIT 1`,
    [objectId, name],
  );
  const params = { id: row?.id ?? "" };
  const assets = await product.rest.call("getTestSnapshot", { params, query: { _action: "assets" } });
  const shown = await fetch(`${product.address}/api/testsnapshots/${params.id}/render`);
  if (!Array.isArray(assets)) throw new Error("No list of assets came");
  return { ...params, html: await shown.text(), assets };
}

const addressOf = (assets: SnapshotAsset[], name: string) =>
  product.address + (assets.find(({ url }) => url.endsWith(name))?.address ?? `/no ${name}`);

test("a part of a file is a part of it, and what a reader has is not sent again", async () => {
  const film = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251));
  const id = await open("range", {
    "a.html": `<video src="film.mp4"></video>`,
    "film.mp4": file("video/mp4", film),
  });
  await fetchAll(product, id);
  const address = addressOf((await newest(id, "a.html")).assets, "film.mp4");
  const ask = async (headers: Record<string, string>) => {
    const answer = await fetch(address, { headers });
    const body = Buffer.from(await answer.arrayBuffer());
    return {
      status: answer.status,
      range: answer.headers.get("content-range"),
      body,
      etag: answer.headers.get("etag"),
    };
  };
  const { etag, ...whole } = await ask({});
  expect(whole).toEqual({ status: 200, range: null, body: film });
  expect(await ask({ range: "bytes=100-299" })).toMatchObject({
    status: 206,
    range: "bytes 100-299/5000",
    body: film.subarray(100, 300),
  });
  expect(await ask({ range: "bytes=-10" })).toMatchObject({ status: 206, body: film.subarray(-10) });
  expect(await ask({ range: "bytes=4990-" })).toMatchObject({ status: 206, body: film.subarray(4_990) });
  expect(await ask({ range: "bytes=9000-" })).toMatchObject({ status: 416, range: "bytes */5000" });
  expect(await ask({ range: "bytes=0-9", "if-range": '"another"' })).toMatchObject({ status: 200, body: film });
  expect(await ask({ "if-none-match": etag ?? "" })).toMatchObject({ status: 304 });
});

/** Serves a file with its content-length in the given number of pieces, one per second. */
const inPieces =
  (pieces: number, type: string, body: Buffer): Page =>
  async (_request, response) => {
    response.writeHead(200, { "content-type": type, "content-length": body.length });
    for (let piece = 0; piece < pieces; piece += 1) {
      response.write(body.subarray((piece * body.length) / pieces, ((piece + 1) * body.length) / pieces));
      await wait(1_000);
    }
    response.end();
  };

test("a file that never ends leaves time for those behind it and is asked for once, a slow one that comes is kept", async () => {
  const body = `<!doctype html><title>Slow</title><img src="endless.png"><img src="behind.png"><p>Words</p>`;
  let asked = 0;
  const id = await open("endless", {
    "one.html": body,
    "two.html": body,
    "behind.png": file("image/png", png(2, 2, 0x123456)),
    "slow.html": `<title>Slow</title><img src="steady.png"><img src="next.png"><p>Words`,
    "next.png": file("image/png", png(2, 2, 0x223456)),
    "steady.png": inPieces(17, "image/png", png(20, 20, 0x323456)),
    "last.html": `<title>Last</title><img src="late.png"><p>Words`,
    "late.png": (_request, response) =>
      void setTimeout(() => response.writeHead(200, { "content-type": "image/png" }).end(png(2, 2, 7)), 17_000),
    "endless.png": (_request, response) => {
      asked += 1;
      response.writeHead(200, { "content-type": "image/png" }).write("x");
    },
  });
  await fetchAll(product, id);
  for (const name of ["one.html", "two.html"]) {
    const { assets } = await newest(id, name);
    expect(Object.fromEntries(assets.map(({ url, error }) => [url.slice(url.lastIndexOf("/") + 1), error]))).toEqual({
      "behind.png": null,
      // 15 s if another file waits for its end, 25 s if not, because the other page had loaded that file before
      "endless.png": expect.stringMatching(/was stopped after (?:15|25) s/),
    });
  }
  expect(asked).toBe(1);
  const errorsOf = async (name: string) => (await newest(id, name)).assets.map(({ error }) => error);
  expect([await errorsOf("slow.html"), await errorsOf("last.html")]).toEqual([[null, null], [null]]);
});

test("a page of frames is shown with the documents in them", async () => {
  const id = await open("frames", {
    "set.html": `<html><head><title>Old</title></head><frameset cols="50%,50%"><frame src="left.htm"><frame src="right.htm"></frameset></html>`,
    "left.htm": `<p>On the left <img src="dot.png">`,
    "right.htm": `<p>On the right <script>alert(1)</script>`,
    "dot.png": file("image/png", png(2, 2, 1)),
  });
  await fetchAll(product, id);
  const { html, assets } = await newest(id, "set.html");
  expect(assets.map(({ kind, error }) => [kind, error])).toEqual([
    ["document", null],
    ["document", null],
    ["image", null],
  ]);
  expect(html).toMatch(/srcdoc="[^"]*On the left[^"]*\/api\/assets\//);
  expect(html).toMatch(/srcdoc="[^"]*On the right/);
  expect(html).not.toMatch(/<frameset|alert\(1\)/);
});

test("an unchanged page (304) gets its files of today", async () => {
  const page: Page = (request, response) => {
    if (request.headers["if-none-match"] === '"v1"') response.writeHead(304, { etag: '"v1"' }).end();
    else
      response
        .writeHead(200, { "content-type": "text/html", etag: '"v1"' })
        .end(`<link rel="stylesheet" href="a.css"><img src="b.png"><p>words`);
  };
  const etag = (type: string, body: string | Buffer): Page => {
    const tag = `"${hashContent(Buffer.from(body)).toString("hex")}"`;
    return (request, response) => {
      if (request.headers["if-none-match"] === tag) response.writeHead(304, { etag: tag }).end();
      else response.writeHead(200, { "content-type": type, etag: tag }).end(body);
    };
  };
  const picture = etag("image/png", png(3, 3, 5));
  const id = await open("etag", { "a.html": page, "a.css": etag("text/css", "p { color: red }"), "b.png": picture });
  await fetchAll(product, id);
  const first = await newest(id, "a.html");
  site.pages.set("/etag/a.css", etag("text/css", "p { color: blue }"));
  await fetchAll(product, id);
  const second = await newest(id, "a.html");
  expect(second.id).not.toBe(first.id);
  const hashOf = (assets: SnapshotAsset[], name: string) => assets.find(({ url }) => url.endsWith(name))?.local_path;
  expect(hashOf(second.assets, "b.png")).toBe(hashOf(first.assets, "b.png"));
  expect(await (await fetch(addressOf(first.assets, "a.css"))).text()).toContain("red");
  expect(await (await fetch(addressOf(second.assets, "a.css"))).text()).toContain("blue");
  expect(await invariantFaults(product)).toEqual([]);
});

test("a file whose server keeps its validator when it changes is asked for as a whole now and then", async () => {
  let version = 1;
  const names = Array.from({ length: 60 }, (_, index) => `f${index}.png`);
  const stuck: Page = (request, response) => {
    const headers = { "content-type": "image/png", etag: '"always"' };
    if (request.headers["if-none-match"] === '"always"') response.writeHead(304, headers).end();
    else response.writeHead(200, headers).end(png(2, 2, version));
  };
  const id = await open("stuck", {
    "a.html": names.map((name) => `<img src="${name}">`).join(""),
    ...Object.fromEntries(names.map((name) => [name, stuck])),
  });
  const filesOf = async () => {
    const { assets } = await newest(id, "a.html");
    return new Map(assets.map(({ url, local_path }) => [url, local_path]));
  };
  await fetchAll(product, id);
  const before = await filesOf();
  expect(before.size).toBe(names.length);
  version = 2;
  const due = new Set<string>();
  for (let fetched = 0; fetched < 8; fetched += 1) {
    // twice on the same day, where nothing is due, and then at most six times on later days
    if (fetched >= 2)
      await product.db.query(`UPDATE site_asset SET seen_at = now() - interval '21 hours' WHERE test_object_id = $1`, [
        id,
      ]);
    if (due.size > 0) break;
    const round = await startFetch(product, id);
    await runEnded(product, round);
    if (fetched >= 2) for (const url of before.keys()) if (isWholeFileDue(round, url)) due.add(url);
    const now = await filesOf();
    expect([...now].filter(([url, path]) => before.get(url) !== path).map(([url]) => url)).toEqual([...due]);
  }
  expect(due.size).toBeGreaterThan(0);
  expect(due.size).toBeLessThan(names.length / 2);
}, 60_000);

test("two fetchers ask for each shared file once per run", async () => {
  const shared = ["shared.css", "logo.png", "late.png"];
  const page = (name: string) =>
    `<title>${name}</title><link rel="stylesheet" href="shared.css"><img src="logo.png"><p>${name}`;
  const names = Array.from({ length: 40 }, (_, index) => `p${index}.html`);
  const slowly =
    (type: string, body: string | Buffer): Page =>
    (_request, response) => {
      // slow enough that all pages need the file before it has arrived
      setTimeout(() => response.writeHead(200, { "content-type": type }).end(body), 300);
    };
  const id = await open("shared", {
    ...Object.fromEntries(names.map((name) => [name, page(name)])),
    "shared.css": slowly("text/css", "p { background: url(late.png) }"),
    "logo.png": slowly("image/png", png(4, 4, 9)),
    "late.png": slowly("image/png", png(4, 4, 10)),
  });
  const stop = startSecond(product, "fetcher");
  try {
    for (let run = 1; run <= 2; run++) {
      site.requests.length = 0;
      expect(await fetchAll(product, id)).toMatchObject({ total: 40, failed: 0 });
      for (const name of shared)
        expect([name, site.requests.filter((path) => path === `/shared/${name}`).length]).toEqual([name, 1]);
    }
  } finally {
    await stop();
  }
  const [row] = await product.db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM snapshot_asset a JOIN test_snapshot s ON s.files_id = a.list_id JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 AND a.error IS NULL`,
    [id],
  );
  expect(row?.n).toBe(40 * 2 * shared.length);
  expect(await invariantFaults(product)).toEqual([]);
});

test("a fetcher that is killed while it captures files leaves nothing half done", async () => {
  let open1: (() => void) | undefined;
  const opened = new Promise<void>((opens) => (open1 = opens));
  let asked = 0;
  const held: Page = (_request, response) => {
    asked += 1;
    const send = () => response.writeHead(200, { "content-type": "image/png" }).end(png(5, 5, 77));
    if (asked === 1) void opened.then(send);
    else send();
  };
  const id = await open("killed", {
    "a.html": `<img src="first.png"><img src="held.png">`,
    "b.html": `<img src="held.png">`,
    "first.png": file("image/png", png(5, 5, 78)),
    "held.png": held,
  });
  const runId = await startFetch(product, id);
  await until("the file is asked for", () => asked === 1);
  process.kill(product.pidOf("fetcher"), "SIGKILL");
  open1?.();
  expect(await runEnded(product, runId, 120_000)).toMatchObject({ total: 2, completed: 2, failed: 0 });
  for (const name of ["a.html", "b.html"])
    expect((await newest(id, name)).assets.map(({ error }) => error)).toEqual(
      name === "a.html" ? [null, null] : [null],
    );
  expect(await invariantFaults(product)).toEqual([]);
});

test("the collector takes files that no snapshot has any more, and no others", async () => {
  const both = png(6, 6, 90);
  const own = png(6, 6, 91);
  const pages = { "a.html": `<img src="both.png"><p>`, "both.png": file("image/png", both) };
  const kept = await open("kept", pages);
  const gone = await open("gone", { ...pages, "b.html": `<img src="own.png"><b>`, "own.png": file("image/png", own) });
  await fetchAll(product, kept);
  await fetchAll(product, gone);
  expect(await product.store.has(hashContent(own))).toBe(true);
  await product.rest.call("deleteTestObject", { params: { id: gone } });
  product.acknowledged = product.acknowledged.filter(({ objectId }) => objectId !== gone);
  await until("the deletion", async () =>
    (await product.rest.call("listTestObjects")).every((object) => object.id !== gone),
  );
  await product.db.query("UPDATE content SET touched_at = now() - interval '2 hours'");
  await collectUnused({ db: product.db, store: product.store, graceMs: hour, signal: new AbortController().signal });
  expect([await product.store.has(hashContent(own)), await product.store.has(hashContent(both))]).toEqual([
    false,
    true,
  ]);
  expect((await fetch(addressOf((await newest(kept, "a.html")).assets, "both.png"))).status).toBe(200);
  expect(await invariantFaults(product)).toEqual([]);
});

test("files that are wrong are seen by the invariants", async () => {
  const [row] = await product.db.query<{ id: string; hash: Buffer }>(
    `SELECT id, content_hash AS hash FROM snapshot_asset WHERE content_hash IS NOT NULL ORDER BY id DESC LIMIT 1`,
  );
  if (row === undefined) throw new Error("There is no asset");
  await product.db.query(`UPDATE snapshot_asset SET error = 'both' WHERE id = $1`, [row.id]);
  expect((await invariantFaults(product)).join("\n")).toContain("assets that are neither stored nor missing");
  await product.db.query(`UPDATE snapshot_asset SET error = NULL WHERE id = $1`, [row.id]);
  const bytes = await product.store.read(row.hash);
  await product.store.delete(row.hash);
  expect((await invariantFaults(product)).join("\n")).toContain("I3");
  await product.store.write(row.hash, bytes);
  expect(await invariantFaults(product)).toEqual([]);
});
