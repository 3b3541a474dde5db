import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { EndpointName } from "@web-tester/contracts/api";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { endpoints } from "../support/raw-calls.js";
import { compared, uploadJson } from "../support/transfer.js";
import { until } from "../support/until.js";

/** A client that disconnects in the middle of an answer, at any byte, ends nothing but that answer. */
let product: Product;
/** For each call that reads, the address of a large answer, which the tests then cut. */
let addresses: { name: EndpointName; path: string }[];

/** The number of pages: enough that archives of them take several megabytes. */
const pages = 8;
/** Returns a page that compresses badly, so that archives of it are long. */
const noise = () => `<!doctype html><title>Noise</title><p>needle<p>${randomBytes(400_000).toString("base64")}`;
const parts = ["gateway", "crawler", "fetcher", "differ"];
const pids = () => parts.map((part) => [part, product.pidOf(part)]);

/** For each call whose handler writes its answer itself instead of returning JSON, the paths of answers that are long enough to be cut. */
const long: Partial<Record<EndpointName, readonly string[]>> = {};

beforeAll(async () => {
  product = await shareProduct();
  const instances = Array.from({ length: pages }, (_, at) => ({
    id: `i${at}`,
    testobject_id: "o",
    url: `http://noise.example/${at}`,
    name: `Page ${at}`,
  }));
  const { status, text } = await uploadJson(product, {
    format: "web-tester-export",
    version: 1,
    testObjects: [{ id: "o", name: "Noise", url: "http://noise.example/" }],
    testInstances: instances,
    testSnapshots: instances.flatMap(({ id }) =>
      [1, 2].map((at) => ({
        id: `${id}s${at}`,
        testinstance_id: id,
        html: noise(),
        created_at: `2026-01-0${at}T00:00:00Z`,
      })),
    ),
  });
  expect([status, text]).toEqual([200, expect.stringContaining(`"snapshots":${2 * pages}`)]);
  await compared(product);
  const rows = await product.db.query<{ object: string; instance: string; one: string; other: string }>(
    `SELECT i.test_object_id AS object, i.id AS instance, min(s.id::text) AS one, max(s.id::text) AS other
     FROM test_instance i JOIN test_snapshot s ON s.test_instance_id = i.id GROUP BY 1, 2 LIMIT 1`,
  );
  const [{ object, instance, one, other } = { object: "", instance: "", one: "", other: "" }] = rows;
  const picture = await keep(Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), randomBytes(3_000_000)]));
  const style = await keep(
    Buffer.from(`${".a { background: url(x.png) }\n".repeat(60_000)}${randomBytes(9).toString("hex")} {}`),
  );
  const assets = await product.db.query<{ id: string }>(
    `WITH list AS (
       INSERT INTO file_list (test_object_id, digest, files, missing) SELECT $4, sha256('cut'), 2, 0 RETURNING id
     ), given AS (
       UPDATE test_snapshot s SET files_id = list.id FROM list WHERE s.id = $1 RETURNING list.id
     )
     INSERT INTO snapshot_asset (list_id, url, kind, content_hash, content_type, extension)
     SELECT given.id, a.* FROM given, (VALUES ('http://noise.example/a.css', 'stylesheet', decode($2, 'hex'), 'text/css', 'css'),
       ('http://noise.example/a.png', 'image', decode($3, 'hex'), 'image/png', 'png')) AS a RETURNING id`,
    [other, style, picture, object],
  );
  await product.db.query(
    `INSERT INTO audit_entry (actor, actor_kind, address, action, subject_kind, object_name, status)
     SELECT 'Somebody', 'token', '127.0.0.1', 'updateTestObject', 'testobject', repeat('a name ', 10), 200 FROM generate_series(1, 5000)`,
  );
  Object.assign(long, {
    exportAudit: ["csv", "json"].map((format) => `/api/audit/export?format=${format}`),
    exportData: ["archive", "json", "wacz"].map((format) => `/api/export?format=${format}&testObjectId=${object}`),
    searchStream: [`/api/search/stream?q=a&limit=100&testobject_id=${object}`],
    renderTestSnapshot: [
      `/api/testsnapshots/${other}/render`,
      `/api/testsnapshots/${other}/render?against=${one}&marks=added`,
    ],
    getAsset: [`/api/assets/${picture}.png`, `/api/assets/${style}.css?of=${assets[0]?.id}`],
    getPicture: [`/api/pictures/${picture}.png`],
  } satisfies typeof long);
  const ids: Record<string, string> = { testobjects: object, testinstances: instance, testsnapshots: other };
  const queries: Partial<Record<EndpointName, string>> = {
    listChanges: "?since=2020-01-01T00:00:00Z",
    listChangedFiles: "?since=2020-01-01T00:00:00Z",
    listPagesOfFile: `?hash=${"ab".repeat(32)}`,
    getBulkDiff: "?idx1=1&idx2=0&pages=html",
    getSnapshotLines: "?from=1&to=10000",
    getSnapshotMatches: "?q=a&limit=1000",
    listCarriers: "?url=http://noise.example/",
    search: `?q=a&testobject_id=${object}`,
    searchSummary: `?q=a&testobject_id=${object}`,
    searchHistory: `?q=a&testobject_id=${object}`,
  };
  const pair = `?a=${one}&b=${other}`;
  addresses = endpoints
    .filter(({ method }) => method === "GET")
    .flatMap(({ name, path }) => {
      const of = path.startsWith("/api/diff") ? pair : (queries[name] ?? "");
      const whole = path.replace("{id}", ids[path.split("/")[2] ?? ""] ?? object) + of;
      return (long[name] ?? [whole]).map((each) => ({ name, path: each }));
    });
}, 240_000);
afterAll(() => product.stop());

async function keep(bytes: Buffer): Promise<string> {
  const hash = createHash("sha256").update(bytes).digest();
  await product.store.write(hash, bytes);
  await product.db.query(`INSERT INTO content (hash, size, stored_size, stored) VALUES ($1, $2, $2, true)`, [
    hash,
    bytes.length,
  ]);
  return hash.toString("hex");
}

/** Requests `path` and disconnects once `after` bytes have come. @returns the number of bytes that came: all of them if `after` is infinite */
async function ask(path: string, after: number, how: "end" | "reset" = "end"): Promise<number> {
  const { hostname, port } = new URL(product.address);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\nAccept: */*\r\n\r\n`);
  let bytes = 0;
  const leave = () => (how === "reset" ? socket.resetAndDestroy() : socket.destroy());
  if (after === 0) leave();
  socket.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes >= after) leave();
  });
  if (!socket.destroyed) await once(socket, "close");
  return bytes;
}

const alive = () =>
  until("an answer", async () => (await fetch(`${product.address}/healthz`).catch(() => null))?.ok === true);

test("every call that writes its answer itself has a long one here", async () => {
  // a thumbnail is so small that it fits into the kernel's send buffer
  const streamed = endpoints.filter(
    ({ name, method, produces }) => method === "GET" && produces !== undefined && name !== "getThumbnail",
  );
  expect(Object.keys(long).toSorted()).toEqual(streamed.map(({ name }) => name).toSorted());
  for (const path of Object.values(long).flat()) {
    const response = await fetch(product.address + path);
    const { byteLength } = await response.arrayBuffer();
    // an answer that fits into the kernel's send buffer cannot be cut
    const least = path.includes("/search/") ? 1_000 : 400_000;
    expect([path, response.status, byteLength > least]).toEqual([path, 200, true]);
  }
}, 240_000);

test("cut at many points, no answer ends a process", async () => {
  const before = pids();
  const others = ["/", "/api/docs", "/api/docs/swagger-ui-bundle.js", "/api/openapi.json", "/metrics", "/config.json"];
  for (const path of [...addresses.map((address) => address.path), ...others]) {
    const whole = await ask(path, Number.POSITIVE_INFINITY);
    const points = [0, 1, 300, 5_000, 70_000, 1_000_000, whole / 3, whole / 2, whole - 70_000, whole - 1];
    await Promise.all(
      points.map((point, at) => ask(path, Math.max(0, Math.floor(point)), at % 2 === 0 ? "end" : "reset")),
    );
    await alive();
    expect([path, pids()]).toEqual([path, before]);
  }
}, 300_000);
