import { once } from "node:events";
import { connect } from "node:net";
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { storedContentPolicy } from "@web-tester/replay/isolation";
import { WebSocket } from "ws";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { firstSnapshot, register } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { endpoints, pathOf, readRefusal } from "../support/raw-calls.js";
import { manual, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** The security headers of every answer, however it came about, and the rate limit. */
const perMinute = 40;
let product: Product;
let site: Site;
let healthPort: number;
let objectId: string;
let snapshotId: string;

beforeAll(async () => {
  [healthPort = 0] = await freePorts(1);
  [product, site] = await Promise.all([
    // the tests act as a trusted proxy: X-Forwarded-For names the client that is limited, and the tests' own requests are not limited
    startProduct({ RATE_LIMIT: String(perMinute), TRUSTED_PROXIES: "127.0.0.1", HEALTH_PORT: String(healthPort) }),
    startSite(manual(2, "text")),
  ]);
  objectId = await register(product, site.url);
  snapshotId = await firstSnapshot(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends a request exactly as it is written; `fetch` would correct some of them. */
function ask(method: string, path: string, headers: OutgoingHttpHeaders = {}, body = ""): Promise<Answer> {
  const { hostname, port } = new URL(product.address);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        hostname,
        port,
        method,
        path,
        headers: { "content-length": Buffer.byteLength(body), ...headers },
        agent: false,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    asked.once("error", reject);
    asked.end(body);
  });
}

/** Lists the protective headers that an answer lacks. */
function lacking({ headers }: Answer): string[] {
  const policy = String(headers["content-security-policy"] ?? "");
  const stored = policy === storedContentPolicy;
  const wanted: [boolean, string][] = [
    [headers["x-content-type-options"] === "nosniff", "nosniff"],
    [headers["referrer-policy"] === "no-referrer", "no-referrer"],
    [/default-src '(self|none)'/.test(policy) && !/script-src|unsafe-eval/.test(policy), `policy “${policy}”`],
    [stored || headers["x-frame-options"] === "DENY", "no framing"],
    [stored || policy.includes("frame-ancestors 'none'"), "no framing by the policy"],
    [["same-origin", "cross-origin"].includes(String(headers["cross-origin-resource-policy"])), "resource policy"],
    [/private|no-store|no-cache|immutable/.test(headers["cache-control"] ?? ""), "no keeping by caches for others"],
    [headers["x-powered-by"] === undefined, "no name of the server"],
  ];
  return wanted.filter(([there]) => !there).map(([, what]) => what);
}

const json = { "content-type": "application/json" };

test("every call of the table answers with the headers, found or not", async () => {
  const faults: string[] = [];
  for (const row of endpoints)
    for (const id of [objectId, snapshotId, "0198c0de-0000-7000-8000-000000000000", "%zz"]) {
      // things that exist must not be changed or deleted
      const mayAct = row.method === "GET" || !id.startsWith("01") || id.endsWith("000000000000");
      if (!mayAct) continue;
      const answer = await ask(row.method, pathOf(row, "ID").replace("ID", id), json, row.method === "GET" ? "" : "{}");
      for (const what of lacking(answer)) faults.push(`${row.name} ${answer.status}: ${what}`);
      if (!row.path.includes("{id}")) break;
    }
  expect(faults).toEqual([]);
});

test("numbers are on the port for operators", async () => {
  const { hostname } = new URL(product.address);
  const answer = await fetch(`http://${hostname}:${healthPort}/metrics`);
  expect([answer.status, await answer.text()]).toEqual([
    200,
    expect.stringContaining("web_tester_http_request_seconds"),
  ]);
});

test("stored content has the sandbox instead of the application's policy", async () => {
  const { headers, status } = await ask("GET", `/api/testsnapshots/${snapshotId}/render`);
  expect([status, headers["content-security-policy"]]).toEqual([200, storedContentPolicy]);
});

test.each<[string, string, number, OutgoingHttpHeaders?, string?]>([
  ["GET", "/", 200],
  ["GET", "/search", 200, { accept: "text/html" }],
  ["GET", "/nothing.js", 404],
  ["GET", "/api/nothing", 404],
  ["POST", "/nothing", 404],
  ["GET", "/config.json", 200],
  ["GET", "/healthz", 200],
  ["GET", "/readyz", 200],
  // the metrics are on the port for operators only
  ["GET", "/metrics", 404],
  ["GET", "/api/docs", 200],
  ["GET", "/api/openapi.json", 200],
  ["HEAD", "/api/testobjects", 200],
  ["GET", "/api/testobjects/%zz", 400],
  ["GET", "/%", 400],
  ["GET", "/assets/%zz?x", 400],
  ["POST", "/api/testobjects", 400, json, "{"],
  ["POST", "/api/testobjects", 415, { "content-type": "text/plain" }, "x"],
  ["POST", "/api/testobjects", 413, json, JSON.stringify({ name: "x".repeat(2_000_000) })],
  ["POST", "/api/testobjects", 403, { ...json, origin: "https://foreign.example" }, "{}"],
  ["GET", "/api/testobjects", 403, { host: "foreign.example" }],
])("%s %s: %i", async (method, path, status, headers = {}, body = "") => {
  const answer = await ask(method, path, headers, body);
  expect(answer.status).toBe(status);
  expect(lacking(answer)).toEqual([]);
  if (status >= 400) expect(readRefusal(answer).status).toBe(status);
});

test("a connection that is to be closed with its answer is, a refusal's too", async () => {
  const { hostname, port } = new URL(product.address);
  for (const path of ["/healthz", "/api/nothing", "/%"]) {
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
    let text = "";
    // the loop ends when the server closes the connection
    for await (const part of socket) text += String(part);
    expect([path, text]).toEqual([
      path,
      expect.stringMatching(/^HTTP\/1\.1 (?:200|400|404) [^]+\r\nConnection: close/),
    ]);
  }
});

test("the application's policy names its own websockets and nobody else's", async () => {
  const { host } = new URL(product.address);
  const policyOf = async (name: string) =>
    /connect-src ([^;]*)/.exec(String((await ask("GET", "/", { host: name })).headers["content-security-policy"]))?.[1];
  expect(await policyOf(host)).toBe(`'self' ws://${host} wss://${host}`);
  // a Host that is no valid name does not get into the policy
  for (const name of ["localhost;script-src *", "localhost'", "*", "localhost, *"])
    expect([name, await policyOf(name)]).toEqual([name, "'self'"]);
});

/** Opens a websocket that has to be refused. @returns the answer to its upgrade request */
async function refused(path: string, headers: Record<string, string>): Promise<Answer> {
  const socket = new WebSocket(product.address.replace("http", "ws") + path, { headers });
  const [, response] = await once(socket, "unexpected-response");
  let text = "";
  for await (const part of response) text += String(part);
  return { status: response.statusCode, headers: response.headers, text };
}

test.each([
  ["no HTTP", "HELLO\r\n\r\n", 400],
  ["no Host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
  ["two lengths", "POST /api/testobjects HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", 400],
  ["too large a head", `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(70_000)}\r\n\r\n`, 431],
])("what is no request is answered too: %s", async (_what, written, status) => {
  const { hostname, port } = new URL(product.address);
  const socket = connect(Number(port), hostname, () => socket.write(written));
  let text = "";
  for await (const part of socket) text += String(part);
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
  expect(lacking({ status, headers, text: body })).toEqual([]);
  expect(readRefusal({ status, text: body }).code).toBe("invalid_input");
});

test("a refused websocket says why, as data", async () => {
  const answer = await refused("/ws", { origin: "https://<script>.example" });
  expect(answer.status).toBe(403);
  expect(lacking(answer)).toEqual([]);
  expect(answer.headers["content-type"]).toMatch(/^application\/json/);
  expect(readRefusal(answer).code).toBe("forbidden_origin");
});

describe("a client that asks without end", () => {
  const as = (client: string) => ({ "x-forwarded-for": client });

  test("gets 429 with words and the time to wait, others do not; and an answer after it", async () => {
    const flood = as("203.0.113.7");
    const answers = await Promise.all(Array.from({ length: perMinute + 20 }, () => ask("GET", "/api/stats", flood)));
    const late = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(perMinute);
    expect(late.length).toBeGreaterThan(0);
    for (const answer of late) {
      expect(readRefusal(answer)).toMatchObject({
        code: "too_many_requests",
        message: expect.stringMatching(/Wait \d+ s/),
      });
      expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1);
      expect(lacking(answer)).toEqual([]);
    }
    // requests for screens and files count towards the limit as calls do, health checks do not
    const kinds = ["/", "/api/testobjects", "/api/nothing", "/healthz"];
    let statuses: number[] = [];
    // one more request is allowed every 1.5 s: ask until all three are refused at once
    await until("a refusal of all kinds", async () => {
      statuses = await Promise.all(kinds.map(async (path) => (await ask("GET", path, flood)).status));
      return statuses.filter((status) => status === 429).length >= 3;
    });
    expect(statuses).toEqual([429, 429, 429, 200]);
    expect((await ask("GET", "/api/stats", as("203.0.113.8"))).status).toBe(200);
    const before = await refused("/ws", flood);
    expect([before.status, readRefusal(before).code]).toEqual([429, "too_many_requests"]);
    expect(lacking(before)).toEqual([]);
    await until("an answer again", async () => (await ask("GET", "/api/stats", flood)).status === 200);
  });

  test("is told so over a websocket too, and what it asks is not done", async () => {
    const socket = new WebSocket(`${product.address.replace("http", "ws")}/ws`, { headers: as("203.0.113.9") });
    const frames: { type: string; message?: string }[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(String(data))));
    await once(socket, "open");
    for (let count = 0; count < perMinute + 20; count++)
      socket.send(JSON.stringify({ type: "subscribe", testobjectId: objectId }));
    while (frames.length < perMinute + 21) await once(socket, "message");
    const told = frames.filter(({ type }) => type === "error");
    expect(told.length).toBeGreaterThanOrEqual(15);
    for (const { message } of told) expect(message).toMatch(/Too many requests/);
    // the upgrade counted as one request
    expect(frames.filter(({ type }) => type === "subscribed").length).toBeGreaterThanOrEqual(perMinute - 1);
    socket.close();
  });

  test("cannot put more questions of an assistant into one request than it may ask one by one", async () => {
    const message = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });
    const batch = (count: number, client: string) =>
      ask(
        ...(["POST", "/api/mcp"] as const),
        { ...json, ...as(client), accept: "application/json, text/event-stream" },
        JSON.stringify(Array.from({ length: count }, (_, id) => message(id))),
      );
    const [allowed, late] = [await batch(perMinute, "203.0.113.12"), await batch(perMinute, "203.0.113.12")];
    expect(allowed.status).toBe(200);
    expect(JSON.parse(allowed.text)).toHaveLength(perMinute);
    expect([late.status, readRefusal(late).code]).toEqual([429, "too_many_requests"]);
    expect(Number(late.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect((await batch(perMinute + 20, "203.0.113.13")).status).toBe(429);
  });

  test("cannot invent addresses where no proxy is trusted", async () => {
    const { status } = await ask("GET", "/api/stats", { "x-forwarded-for": "203.0.113.10, 127.0.0.1" });
    expect(status).toBe(200);
    const flood = Array.from({ length: perMinute + 20 }, (_, count) =>
      // the proxy appends the last address; those before it are what the client claims
      ask("GET", "/api/stats", { "x-forwarded-for": `198.51.100.${count}, 203.0.113.11` }),
    );
    expect((await Promise.all(flood)).some((answer) => answer.status === 429)).toBe(true);
  });
});
