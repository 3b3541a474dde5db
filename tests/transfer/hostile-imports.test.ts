import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Agent, request } from "node:http";
import { gzipSync } from "node:zlib";
import { hostileImports, rightArchive, rightFile } from "../support/hostile-imports.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { storedFiles } from "../support/invariants.js";
import { readRefusal, tableState } from "../support/raw-calls.js";
import { upload } from "../support/transfer.js";
import { until } from "../support/until.js";

/** Import files that are made to do harm: each is refused with a message, and nothing of it is left afterwards. */
let product: Product;
let gatewayPid: number;
let before: Record<string, string>;

beforeAll(async () => {
  product = await shareProduct();
  gatewayPid = product.pidOf("gateway");
  before = await state();
});
afterAll(() => product.stop());

async function state(): Promise<Record<string, string>> {
  // bytes that no row refers to are collected later
  const { content: _, ...tables } = await tableState(product);
  return tables;
}

test("there are enough of them", () => {
  expect(hostileImports.length).toBeGreaterThanOrEqual(100);
  expect(new Set(hostileImports.map(({ what }) => what)).size).toBe(hostileImports.length);
});

test.each(hostileImports)("$what", async ({ body, code, headers }) => {
  const answer = await upload(product, body(), { ...(headers === undefined ? {} : { headers }) });
  const refusal = readRefusal(answer);
  expect([refusal.code, refusal.message]).toEqual([code, expect.any(String)]);
  expect(answer.text).not.toContain("s3cret");
  expect(await state()).toEqual(before);
});

test("who says that the connection ends with this upload, and goes on sending, reads the refusal all the same", async () => {
  const file = hostileImports.find(({ what }) => what === "1 GB of a name");
  for (let round = 0; round < 12; round += 1)
    expect(await upload(product, file?.body() ?? [])).toMatchObject({ status: 400 });
});

/** More bytes than the operating system buffers for a receiver that does not read them. */
const rest = Buffer.alloc(40 * 1024 * 1024, "a");
/** A ZIP with an empty file, up to the beginning of its central directory. */
const emptyZip = Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(26), Buffer.from("PK\x01\x02")]);

test.each([
  ["JSON", Buffer.from("{]")],
  ["a WARC", Buffer.from("WARC/1.0\r\n")],
  ["a ZIP", emptyZip],
])(
  "the rest of %s that is refused at its beginning is taken, and its connection serves the next call",
  async (_what, start) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, path: string, body?: Buffer) =>
      new Promise<{ status: number | undefined; port: number | undefined }>((resolve, reject) => {
        const headers = { "content-type": "application/octet-stream" };
        const asked = request(product.address + path, { agent, method, headers }, (answer) => {
          const port = answer.socket.localPort;
          answer.resume().once("end", () => resolve({ status: answer.statusCode, port }));
        });
        asked.once("error", reject).end(body);
      });
    const refused = await ask("POST", "/api/import", Buffer.concat([start, rest]));
    expect(refused.status).toBe(400);
    expect(await ask("GET", "/healthz")).toEqual({ status: 200, port: refused.port });
    agent.destroy();
  },
);

test.each([
  ["an ARC file", "filedesc://old.arc 0.0.0.0 20150101000000 text/plain 9\n", "it is an ARC file"],
  ["a ZIP without files", `PK\u0005\u0006${"\0".repeat(18)}`, "it is a ZIP without files"],
  ["something else", "7 zip?", "it must begin with {"],
])("%s is refused in words that say what it is", async (_what, body, words) => {
  const refusal = readRefusal(await upload(product, [Buffer.from(body)]));
  expect([refusal.code, refusal.message]).toEqual(["invalid_json", expect.stringContaining(words)]);
  expect(refusal.message).toMatch(/^Invalid JSON file: .+Nothing was imported\.$/);
  expect(await state()).toEqual(before);
});

test("a page that was saved as a WACZ is called that, and not an invalid JSON file", async () => {
  const page = Buffer.from("<!doctype html><title>Sign in</title>");
  const refusal = readRefusal(await upload(product, [page], { query: "?name=site.wacz" }));
  expect([refusal.code, refusal.message]).toEqual([
    "invalid_input",
    expect.stringMatching(/^“site\.wacz” is called a WACZ file but is not a ZIP archive\. .+Nothing was imported\.$/),
  ]);
  expect(await state()).toEqual(before);
});

test.each([
  ["JSON", Buffer.from(rightFile), "application/json"],
  ["JSON with gzip", gzipSync(rightFile), "application/gzip"],
  ["an archive", rightArchive, "application/x-tar"],
  ["an archive with gzip", gzipSync(rightArchive), "application/gzip"],
])("%s that is cut off anywhere is refused, and changes nothing", async (_what, whole, type) => {
  const cuts = fc.integer({ min: 0, max: whole.length - 1 });
  const refused = async (cut: number) => {
    const answer = await upload(product, [whole.subarray(0, cut)], { headers: { "content-type": type } });
    expect([readRefusal(answer).code, answer.text]).toEqual(["invalid_json", expect.not.stringContaining("stream")]);
  };
  await fc.assert(fc.asyncProperty(cuts, refused), { numRuns: 40, examples: [[0], [1], [2], [whole.length - 1]] });
  // a sender that disconnects in the middle gets no answer; what has arrived is removed with the import
  const vanished = async (cut: number) => {
    const headers = { "content-type": type, "content-length": String(whole.length) };
    await expect(upload(product, [whole.subarray(0, cut)], { headers, vanish: true })).rejects.toThrow(
      "The sender is gone",
    );
  };
  await fc.assert(fc.asyncProperty(cuts, vanished), { numRuns: 8 });
  await until("the end of those imports", async () => {
    const open = await product.db.query(`SELECT 1 FROM import_job WHERE state IN ('reading', 'applying')`);
    return open.length === 0;
  });
  expect(await state()).toEqual(before);
  expect(product.pidOf("gateway")).toBe(gatewayPid);
  const drafts = (await storedFiles(product.stack.storageUrl)).filter((path) => path.includes("drafts"));
  expect(drafts).toEqual([]);
});

test("each is in the list of imports with its reason, nothing is left aside, and the gateway is the same process", async () => {
  const { items } = await product.rest.call("listImports");
  expect(items.length).toBeGreaterThan(40);
  for (const { state: ended, error } of items) {
    expect(ended).toBe("failed");
    expect(error).toMatch(/\w.*[.]$/);
  }
  expect(await product.db.query(`SELECT 1 FROM import_row`)).toEqual([]);
  expect(product.pidOf("gateway")).toBe(gatewayPid);
  expect(product.logged("gateway")).not.toMatch(/answering failed|uncaught/i);
});

test("control: the file that they are made of is accepted", async () => {
  const answer = await upload(product, [`\ufeff${rightFile}`]);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"snapshots":1')]);
  expect(await state()).not.toEqual(before);
  // the route also answers with a slash at its end
  expect(await upload(product, [rightFile], { query: "/" })).toMatchObject({ status: 200 });
  const archive = await upload(product, [rightArchive], { headers: { "content-type": "application/x-tar" } });
  expect([archive.status, archive.text]).toEqual([200, expect.stringContaining('"snapshots":1')]);
});
