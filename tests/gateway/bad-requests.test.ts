import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { EndpointName } from "@web-tester/contracts/api";
import { budgets, limits } from "@web-tester/contracts/limits";
import { z } from "zod";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { endpoints, pathOf, readRefusal, send, tableState } from "../support/raw-calls.js";
import { manual, startSite, type Site } from "../support/site.js";

/** A wrong request to any call of the endpoint table is answered with a 4xx and a message, and changes nothing. */
let product: Product;
let site: Site;
let objectId: string;
let instanceId: string;
let gatewayPid: number;

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite(manual(3, "text"))]);
  gatewayPid = product.pidOf("gateway");
  objectId = await register(product, site.url);
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId } });
  instanceId = items[0]?.id ?? "";
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

/** The query parameters that a call needs besides the part that is wrong. */
const needed: Partial<Record<EndpointName, Record<string, string>>> = {
  listChanges: { since: "2026-01-01T00:00:00Z" },
  listChangedFiles: { since: "2026-01-01T00:00:00Z" },
  listPagesOfFile: { hash: "ab".repeat(32) },
  getBulkDiff: { idx1: "1", idx2: "0" },
  fetchTestSnapshot: { action: "fetch" },
  getSnapshotLines: { from: "1", to: "2" },
  traceInSnapshots: { text: "a" },
  search: { q: "a" },
  searchStream: { q: "a" },
  searchSummary: { q: "a" },
  searchHistory: { q: "a" },
  getSnapshotMatches: { q: "a" },
  listCarriers: { url: "https://example.org/" },
};
/** A valid body for each call that cannot do without one. */
const rightBodies: Partial<Record<EndpointName, string>> = {
  previewExcludes: '{"exclude_list":[]}',
  previewCrawlExcludes: '{"exclude_list":[]}',
  excludeInCrawl: '{"exclude_list":[]}',
  previewTestSnapshot: '{"html":""}',
  decideCheck: '{"decision":"accepted"}',
  leaveOutAlike: '{"instance_id":"0190b0f0-0000-7000-8000-000000000001"}',
  giveVerdict: '{"all":true,"verdict":"accepted"}',
  createChannel: '{"kind":"email","name":"Mail","to":["a@example.org"]}',
  updateChannel: '{"enabled":false}',
  createRoute: '{"channel_id":"0190b0f0-0000-7000-8000-000000000001"}',
  updateRoute: '{"path":"/a"}',
  updateRun: '{"label":"release 1.4"}',
  createSchedule: '{"work":"fetch","time":{"type":"every","minutes":60}}',
  previewSchedule: '{"work":"fetch","time":{"type":"every","minutes":60}}',
  updateSchedule: '{"paused":true}',
  createRule: '{"kind":"element","selector":"p"}',
  previewRule: '{"kind":"element","selector":"p"}',
  suggestRules: '{"a":"0190b0f0-0000-7000-8000-000000000001","b":"0190b0f0-0000-7000-8000-000000000001","line":1}',
};
const writing = endpoints.filter(({ method }) => method === "POST" || method === "PATCH");
/** The calls that parse a JSON body. Those that stream an uploaded file are tested in hostile-imports.test.ts. */
const parsing = writing.filter(({ streamsBody }) => !streamsBody);
const withId = endpoints.filter(({ path }) => path.includes("{id}"));
const withBody = endpoints.filter(({ body }) => !body.safeParse([]).success);

const wrongValues = [null, true, 42, -1.5, "", "text", "\0", [], [[]], [1], {}, { $ne: null }];

/** Pairs each field of an object schema with each of the values that it must refuse; empty for other schemas. */
function wrongFields(schema: z.ZodType, values: readonly unknown[]): [field: string, value: unknown][] {
  if (!(schema instanceof z.ZodObject)) return [];
  const shape: Record<string, unknown> = schema.shape;
  return Object.entries(shape).flatMap(([field, type]) =>
    type instanceof z.ZodType
      ? values.filter((value) => !type.safeParse(value).success).map((value): [string, unknown] => [field, value])
      : [],
  );
}

describe("changes nothing", () => {
  let before: Record<string, string>;
  beforeEach(async () => {
    before = await tableState(product);
  });
  afterEach(async () => {
    const after = await tableState(product);
    for (const table of Object.keys(before))
      if (after[table] !== before[table])
        throw new Error(`${table} was changed: ${before[table]}, now ${after[table]}`);
  });

  test("the table has what these tests are about", () => {
    expect(withId.length).toBeGreaterThan(12);
    expect(writing.length).toBeGreaterThan(8);
    expect(withBody.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["createTestObject", "updateTestObject", "createTestSnapshot"]),
    );
  });

  const strangers = [
    randomUUID(),
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "1",
    "12345678-1234-1234-1234-12345678901",
    "x' OR '1'='1",
    "../../etc/passwd",
    "%00",
    "💥",
    "a".repeat(5_000),
  ];
  test.each(withId)("$method $path: an id that names nothing", async (row) => {
    for (const id of strangers) {
      // events are numbered from 1, so an event with this id exists
      if (row.name === "listEventPages" && id === "1") continue;
      const answer = await send(product, {
        method: row.method,
        path: pathOf(row, id, needed[row.name]),
        body: row.method === "GET" ? undefined : (rightBodies[row.name] ?? "{}"),
      });
      if (row.name === "getTestObject") {
        expect([id, answer]).toEqual([id, { status: 200, text: "[]" }]);
        continue;
      }
      expect([id, answer.status]).toEqual([id, 404]);
      expect(readRefusal(answer).code).toBe("not_found");
    }
  });

  test("an id with a broken percent escape", async () => {
    for (const row of withId) {
      const answer = await send(product, {
        method: row.method,
        path: row.path.replace("{id}", "%E0%A4%A"),
        body: row.method === "GET" ? undefined : "{}",
      });
      expect([row.name, answer.status]).toEqual([row.name, 400]);
      readRefusal(answer);
    }
  });

  test("a snapshot of an instance that is not there", async () => {
    const answer = await send(product, {
      method: "POST",
      path: "/api/testsnapshots",
      body: JSON.stringify({ testinstance_id: randomUUID() }),
    });
    expect(readRefusal(answer)).toMatchObject({ status: 404, code: "not_found" });
  });

  test.each(["/api/diff", "/api/diff/hunks", "/api/diff/visual", "/api/diff/visual/text", "/api/diff/visual/pictures"])(
    "GET %s: sides that name nothing",
    async (path) => {
      for (const [query, status] of [
        ["", 400],
        [`?a=${randomUUID()}`, 400],
        [`?a=${randomUUID()}&b=${randomUUID()}`, 404],
        [`?a=x&b=y`, 400],
        [`?instance1=${instanceId}&snapshot1=7&instance2=${instanceId}`, 404],
        [`?instance1=${instanceId}&snapshot1=-1&instance2=${instanceId}`, 400],
        [`?instance1=${instanceId}&snapshot1=99999999999999999999&instance2=${instanceId}`, 400],
        [`?a=${randomUUID()}&a=${randomUUID()}&b=${randomUUID()}`, 400],
        [`?a[x]=1&b=${randomUUID()}`, 400],
      ] as const) {
        const answer = await send(product, { method: "GET", path: path + query });
        expect([query, answer.status]).toEqual([query, status]);
        readRefusal(answer);
      }
    },
  );

  test.each(withBody)("$method $path: bodies of a wrong type", async (row) => {
    const path = pathOf(row, objectId);
    for (const [field, value] of wrongFields(row.body, wrongValues)) {
      const answer = await send(product, { method: row.method, path, body: JSON.stringify({ [field]: value }) });
      expect([field, value, answer.status]).toEqual([field, value, 400]);
      const { code, details } = readRefusal(answer);
      expect(code).toBe("invalid_input");
      expect(details).toEqual(
        expect.arrayContaining([
          { path: expect.stringMatching(`^body\\.${field}(\\.|$)`), message: expect.stringMatching(/\w/) },
        ]),
      );
    }
    for (const body of ["null", "[]", "42", '"text"', "true"]) {
      const answer = await send(product, { method: row.method, path, body });
      expect([body, answer.status]).toEqual([body, 400]);
      expect(readRefusal(answer).message).toMatch(/must be an object/);
    }
  });

  test("queries of a wrong type", async () => {
    let tried = 0;
    for (const row of endpoints) {
      const wrong = wrongFields(row.query, ["abc", "-1", "1.5", "9".repeat(30), "1e3", "\0", "x".repeat(300)]);
      for (const [field, value] of wrong) {
        const query = { ...needed[row.name], [field]: String(value) };
        const answer = await send(product, {
          method: row.method,
          path: pathOf(row, row.name === "listEventPages" ? "1" : objectId, query),
          body: row.method === "GET" ? undefined : "{}",
        });
        expect([row.name, query, answer.status]).toEqual([row.name, query, 400]);
        const { details } = readRefusal(answer);
        expect(details).toEqual(expect.arrayContaining([expect.objectContaining({ path: `query.${field}` })]));
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(20);
  });

  const brokenBodies: [
    what: string,
    body: string | Buffer,
    headers: Record<string, string>,
    status: number,
    code: string,
  ][] = [
    ["malformed JSON", '{"name": "x', {}, 400, "invalid_json"],
    ["JSON in Latin-1", Buffer.from('{"name": "B\u00fccher"}', "latin1"), {}, 400, "invalid_json"],
    ["half a JSON escape", '{"name": "\\u12"}', {}, 400, "invalid_json"],
    ["JSON with comments", '{/* a name */ "name": "x"}', {}, 400, "invalid_json"],
    ["deeply nested JSON", "[".repeat(200_000) + "]".repeat(200_000), {}, 400, "invalid"],
    ["a form", "name=x", { "content-type": "application/x-www-form-urlencoded" }, 415, "unsupported_media_type"],
    ["plain text", "{}", { "content-type": "text/plain" }, 415, "unsupported_media_type"],
    ["JSON of no content type", "{}", { "content-type": "" }, 415, "unsupported_media_type"],
    ["an unknown coding", "{}", { "content-encoding": "x-lzma" }, 415, "unsupported_media_type"],
    [
      "an unknown charset",
      "{}",
      { "content-type": "application/json; charset=klingon" },
      415,
      "unsupported_media_type",
    ],
    ["damaged gzip", "{}", { "content-encoding": "gzip" }, 400, "invalid_json"],
    ["too large a body", JSON.stringify({ name: "x".repeat(2 * budgets.htmlMaxBytes) }), {}, 413, "payload_too_large"],
    ["a gzip bomb", gzipSync(Buffer.alloc(64 * 1024 * 1024)), { "content-encoding": "gzip" }, 413, "payload_too_large"],
  ];
  test.each(brokenBodies)("every POST and PATCH: %s", async (_what, body, headers, status, code) => {
    for (const row of parsing) {
      const answer = await send(product, {
        method: row.method,
        path: pathOf(row, randomUUID(), needed[row.name]),
        body,
        headers: { "content-type": "application/json", ...headers },
      });
      // a call that takes no body ignores the content of a body, as long as it can be parsed
      const isIgnored = code === "invalid" && !withBody.includes(row);
      const expected = !isIgnored ? status : withId.includes(row) ? 404 : 200;
      expect([row.name, answer.status]).toEqual([row.name, expected]);
      if (expected !== 200) expect(readRefusal(answer).code).toContain(isIgnored ? "not_found" : code);
    }
  });

  test.each([
    "",
    "   ",
    "example.org",
    "/path",
    "//example.org/",
    "http://",
    "https://:80/",
    "http://exa mple.org/",
    "http://999.999.999.999/",
    "http://[::1/",
    "http://example.org:99999/",
    "ftp://example.org/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,<h1>x</h1>",
    "blob:http://example.org/1",
    "ws://example.org/",
    "http://user:secret@example.org/",
    "http://user@example.org/",
    "http://example.org/\0",
    `http://example.org/${"x".repeat(limits.urlMaxChars)}`,
  ])("an object cannot be made of the address %j", async (url) => {
    const answer = await send(product, {
      method: "POST",
      path: "/api/testobjects",
      body: JSON.stringify({ name: "Bad address", url }),
    });
    expect(readRefusal(answer)).toMatchObject({
      status: 400,
      code: "invalid_input",
      details: expect.arrayContaining([expect.objectContaining({ path: "body.url" })]),
    });
    expect(answer.text).not.toContain("secret");
  });

  test("a page of another site may not write, this one's own may", async () => {
    const path = `/api/testsnapshots`;
    const post = (headers: Record<string, string>) =>
      send(product, { method: "POST", path, body: "{}", headers: { "content-type": "application/json", ...headers } });
    for (const origin of ["http://evil.example", "null", "https://127.0.0.1", `${product.address}.evil.example`])
      expect(readRefusal(await post({ origin }))).toMatchObject({ status: 403, code: "forbidden_origin" });
    expect((await post({ origin: product.address })).status).toBe(400);
    expect(await statusWithHost("127.0.0.1.evil.example")).toBe(403);
    expect(await statusWithHost(new URL(product.address).host)).toBe(200);
  });

  test("calls that do not exist", async () => {
    for (const [method, path] of [
      ["GET", "/api/nothing"],
      ["POST", `/api/testobjects/${objectId}/dance`],
      ["GET", "/API/testobjects"],
    ] as const) {
      const answer = await send(product, { method, path, headers: {} });
      expect([path, readRefusal(answer)]).toEqual([
        path,
        expect.objectContaining({ status: 404, code: "route_not_found" }),
      ]);
    }
    for (const [method, path, allow] of [
      ["PUT", "/api/testobjects", "GET, HEAD, POST"],
      ["DELETE", "/api/testobjects/", "GET, HEAD, POST"],
      ["OPTIONS", `/api/testobjects/${objectId}`, "DELETE, GET, HEAD, PATCH"],
      ["GET", `/api/testobjects/${objectId}/crawl`, "POST"],
      ["POST", "/config.json", "GET, HEAD"],
    ] as const) {
      const answer = await fetch(product.address + path, { method });
      expect(answer.headers.get("allow")).toBe(allow);
      const refusal = readRefusal({ status: answer.status, text: await answer.text() });
      expect([path, refusal]).toEqual([path, expect.objectContaining({ status: 405, code: "method_not_allowed" })]);
    }
  });
});

/** Returns the status of a request with this Host header, which `fetch` does not let a caller choose. */
function statusWithHost(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(`${product.address}/api/testobjects`, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.once("error", reject).end();
  });
}

test("no call was answered with a fault of our own, and the gateway is the same process", () => {
  expect(product.pidOf("gateway")).toBe(gatewayPid);
  expect(product.logged("gateway")).not.toMatch(/answering failed|uncaught/i);
});
