import { type OutgoingHttpHeaders } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { gatewayOnly, startProduct, type Product } from "../support/product.js";
import { askExactly } from "../support/ask-exactly.js";
import { evasionsOf } from "../support/evasions.js";
import { bearer } from "../support/token-calls.js";
import { endpoints, pathOf, tableState, type Answer } from "../support/raw-calls.js";

/** With a token set, no spelling of any route and neither socket lets anybody in without it. */
const token = "open-Sesame-7";
const canary = "A name that only those with the token see";
let product: Product;
let id: string;

beforeAll(async () => {
  product = await startProduct({ ...gatewayOnly, API_TOKEN: token });
  const made = await ask("POST", "/api/testobjects", bearer(token), { name: canary, url: "http://127.0.0.1:9/" });
  id = String((JSON.parse(made.text) as { id?: unknown }).id);
  expect(made.status).toBe(201);
});
afterAll(async () => {
  await product.stop();
});

function ask(method: string, path: string, headers: OutgoingHttpHeaders = {}, body?: unknown): Promise<Answer> {
  return askExactly(product.address, { method, path, headers, body });
}

const evasions = evasionsOf(token);
const guarded = endpoints.filter(({ role }) => role !== "public");

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
  ["bearer", bearer(token)],
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
  "sec-websocket-key": Buffer.from("0123456789abcdef").toString("base64"),
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
    // the server may cut off an upgrade to a path without websockets instead of answering it
    const status = await ask("GET", path, { ...upgrade, ...headers }).then(
      (answer) => answer.status,
      () => 0,
    );
    expect(status).not.toBe(101);
  }
});

test.each(["/ws", "/ws/console"])("a websocket with the token: %s", async (path) => {
  for (const headers of [
    bearer(token),
    { "x-api-token": token },
    { "sec-websocket-protocol": `web-tester, token.${Buffer.from(token).toString("base64url")}` },
  ])
    expect((await ask("GET", path, { ...upgrade, ...headers })).status).toBe(101);
});

test("a reader of feeds needs nothing but the feed's address; which feeds there are needs the token", async () => {
  const made = await ask("POST", "/api/feeds", bearer(token), { testobject_id: id });
  const { url } = JSON.parse(made.text) as { url: string };
  expect((await ask("GET", new URL(url).pathname)).status).toBe(200);
  expect((await ask("GET", `${new URL(url).pathname}x`)).status).toBe(404);
  expect((await ask("GET", "/api/feeds")).status).toBe(401);
  expect((await ask("POST", "/api/feeds", {}, { testobject_id: id })).status).toBe(401);
});
