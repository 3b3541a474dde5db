import { request, type OutgoingHttpHeaders } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startProduct, type Product } from "../support/product.js";
import { endpoints, pathOf, tableState, type Answer } from "../support/raw-calls.js";

/** With a token set, no spelling of any route and neither socket lets anybody in without it. */
const token = "open-Sesame-7";
const canary = "A name that only those with the token see";
let product: Product;
let id: string;

beforeAll(async () => {
  product = await startProduct({ API_TOKEN: token });
  const made = await ask(
    "POST",
    "/api/testobjects",
    { authorization: `Bearer ${token}` },
    { name: canary, url: "http://127.0.0.1:9/" },
  );
  id = String((JSON.parse(made.text) as { id?: unknown }).id);
  expect(made.status).toBe(201);
});
afterAll(async () => {
  await product.stop();
});

/** One request as it is written here, also where no client library would write it so. 101 where it became a websocket. */
function ask(method: string, path: string, headers: OutgoingHttpHeaders = {}, body?: unknown): Promise<Answer> {
  const { hostname, port } = new URL(product.address);
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = request({
      hostname,
      port,
      method,
      path,
      agent: false,
      headers: {
        ...(text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        ...headers,
      },
    });
    call.setTimeout(20_000, () => call.destroy(new Error(`${method} ${path} has no answer`)));
    call.on("error", reject);
    call.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, text: "" });
    });
    call.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
      response.on("error", reject);
    });
    call.end(text);
  });
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
type Evasion = readonly [
  string,
  (path: string, method: string) => { path?: string; method?: string; headers?: OutgoingHttpHeaders },
];
const evasions: readonly Evasion[] = [
  ["as it is", () => ({})],
  ["in capitals", (path) => ({ path: path.toUpperCase() })],
  ["one capital", (path) => ({ path: path.replace("/api", "/Api") })],
  ["two slashes in front", (path) => ({ path: `/${path}` })],
  ["two slashes within", (path) => ({ path: path.replace("/api/", "/api//") })],
  ["a slash at the end", (path) => ({ path: `${path}/` })],
  ["an encoded letter", (path) => ({ path: path.replace("/api", "/%61pi") })],
  ["an encoded slash", (path) => ({ path: path.replace("/api/", "/api%2f") })],
  ["a dot within", (path) => ({ path: path.replace("/api/", "/./api/./") })],
  ["encoded dots", (path) => ({ path: `/healthz/%2e%2e${path}` })],
  ["dots", (path) => ({ path: `/healthz/..${path}` })],
  ["a backslash", (path) => ({ path: path.replace("/api/", "/api\\") })],
  ["a path parameter", (path) => ({ path: path.replace("/api", "/api;x=/healthz") })],
  ["a null byte", (path) => ({ path: `${path}%00` })],
  ["another file's ending", (path) => ({ path: `${path}.css` })],
  ["absolute form", (path) => ({ path: `http://127.0.0.1${path}` })],
  ["HEAD", () => ({ method: "HEAD" })],
  ["OPTIONS", () => ({ method: "OPTIONS" })],
  [
    "another method named in headers",
    (_path, method) => ({ method: "POST", headers: { "x-http-method-override": method, "x-method-override": method } }),
  ],
  [
    "another address named in headers",
    (path) => ({ headers: { "x-original-url": path, "x-rewrite-url": "/healthz", "x-forwarded-prefix": "/healthz" } }),
  ],
  [
    "said to come from here",
    () => ({
      headers: {
        host: "localhost",
        "x-forwarded-for": "127.0.0.1",
        "x-real-ip": "127.0.0.1",
        forwarded: "for=127.0.0.1",
      },
    }),
  ],
  ["the token in the query", (path) => ({ path: `${path}?token=${token}&access_token=${token}&api_token=${token}` })],
  ["the token in a cookie", () => ({ headers: { cookie: `token=${token}; X-API-Token=${token}` } })],
  ["another scheme", () => ({ headers: { authorization: `Basic ${base64(`:${token}`)}` } })],
  ["no scheme", () => ({ headers: { authorization: token } })],
  ["an empty token", () => ({ headers: { authorization: "Bearer ", "x-api-token": "" } })],
  ["a part of the token", () => ({ headers: { authorization: `Bearer ${token.slice(0, -1)}` } })],
  ["more than the token", () => ({ headers: { authorization: `Bearer ${token}x` } })],
  ["in other letters", () => ({ headers: { "x-api-token": token.toUpperCase() } })],
  ["another header", () => ({ headers: { "x-auth-token": token } })],
  [
    "several wrong ones",
    () => ({
      headers: { "x-api-token": ["", "undefined", "null"], authorization: ["Bearer null", "Bearer undefined"] },
    }),
  ],
  [
    "a socket's protocol",
    () => ({ headers: { "sec-websocket-protocol": `web-tester, token.${Buffer.from(token).toString("base64url")}` } }),
  ],
  ["a signature of nothing", (path) => ({ path: `${path}?expires=9999999999&signature=` })],
];
const guarded = endpoints.filter(({ path }) => path.startsWith("/api/"));

test("there are routes to guard", () => expect(guarded.length).toBeGreaterThan(30));

test.each(evasions)("without the token: %s", async (_what, evade) => {
  const before = await tableState(product);
  const leaks: string[] = [];
  for (const row of guarded) {
    const { path = pathOf(row, id), method = row.method, headers = {} } = evade(pathOf(row, id), row.method);
    const answer = await ask(method, path, headers);
    if (answer.status < 400 || answer.status >= 500 || answer.text.includes(canary))
      leaks.push(`${method} ${path}: ${answer.status}`);
  }
  expect(leaks).toEqual([]);
  expect(await tableState(product)).toEqual(before);
});

test.each([
  ["bearer", { authorization: `Bearer ${token}` }],
  ["scheme in other letters", { authorization: `bEARER ${token}` }],
  ["own header", { "x-api-token": token }],
])("with the token every reading route opens: %s", async (_what, headers) => {
  for (const row of guarded.filter(({ method }) => method === "GET"))
    expect([row.name, (await ask("GET", pathOf(row, id), headers)).status]).not.toEqual([row.name, 401]);
  const list = await ask("GET", "/api/testobjects", headers);
  expect(list).toMatchObject({ status: 200, text: expect.stringContaining(canary) });
});

const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-key": base64("0123456789abcdef"),
  "sec-websocket-version": "13",
};
const sockets = [
  "/ws",
  "/ws/",
  "/WS",
  "//ws",
  "/ws?token=" + token,
  "/%77s",
  "/ws/console",
  "/ws/console/",
  "/ws//console",
  "/healthz",
  "/metrics",
  "/api/testobjects",
  "/",
];

test.each(sockets)("no websocket without the token: %s", async (path) => {
  for (const headers of [
    {},
    { origin: product.address },
    { "sec-websocket-protocol": "web-tester, token." },
    { authorization: "Bearer x" },
  ]) {
    // an upgrade to a path without sockets may be cut off instead of being answered
    const status = await ask("GET", path, { ...upgrade, ...headers }).then(
      (answer) => answer.status,
      () => 0,
    );
    expect(status).not.toBe(101);
  }
});

test.each(["/ws", "/ws/console"])("a websocket with the token: %s", async (path) => {
  for (const headers of [
    { authorization: `Bearer ${token}` },
    { "x-api-token": token },
    { "sec-websocket-protocol": `web-tester, token.${Buffer.from(token).toString("base64url")}` },
  ])
    expect((await ask("GET", path, { ...upgrade, ...headers })).status).toBe(101);
});

test("a reader of feeds needs nothing but the feed's address; which feeds there are needs the token", async () => {
  const made = await ask("POST", "/api/feeds", { authorization: `Bearer ${token}` }, { testobject_id: id });
  const { url } = JSON.parse(made.text) as { url: string };
  expect((await ask("GET", new URL(url).pathname)).status).toBe(200);
  expect((await ask("GET", `${new URL(url).pathname}x`)).status).toBe(404);
  expect((await ask("GET", "/api/feeds")).status).toBe(401);
  expect((await ask("POST", "/api/feeds", {}, { testobject_id: id })).status).toBe(401);
});
