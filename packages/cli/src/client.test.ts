import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, jest, test } from "@jest/globals";
import { createClient } from "./client.js";

type Answering = (response: ServerResponse) => void;
const good: Answering = (response) => void response.end("[]");
const broken: Answering = (response) => void response.socket?.destroy();
const says =
  (status: number, headers = {}, body = ""): Answering =>
  (response) =>
    void response.writeHead(status, headers).end(body);

const open: (() => void)[] = [];
afterEach(() => open.splice(0).forEach((close) => close()));

/** Starts a server that gives each request the next answer. @returns a client of it, and the methods of the requests */
async function answering(...answers: Answering[]) {
  return answeringTo(null, ...answers);
}

/** @param token the token that the client sends */
async function answeringTo(token: string | null, ...answers: Answering[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.method ?? "");
    (answers.shift() ?? good)(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { call } = createClient({ url: `http://127.0.0.1:${port}`, token }, AbortSignal.timeout(20_000), 1);
  return { list: () => call("listTestObjects"), crawl: () => call("crawl", { params: { id: "a" } }), asked };
}

test("a server that has answered before may be away for a moment", async () => {
  const { list, asked } = await answering(good, broken, says(503), says(502), good);
  expect(await list()).toEqual([]);
  expect(await list()).toEqual([]);
  expect(asked).toHaveLength(5);
});

test("where nothing has answered yet, that is said at once", async () => {
  const { list, asked } = await answering(broken);
  await expect(list()).rejects.toThrow(/Nothing answers at http/);
  expect(asked).toHaveLength(1);
});

test("a page in place of an answer, such as a proxy's sign-in, is said to be another server's; an answer of another form another version's", async () => {
  const { list } = await answering(says(200, {}, "<title>Sign in</title>"), says(200, {}, '{"items": 1}'));
  await expect(list()).rejects.toThrow(/answered 200, but not as this product does\. Check that WEB_TESTER_URL/);
  await expect(list()).rejects.toThrow(/another format.* same version/);
});

test("why nothing answers is told", async () => {
  const list = (url: string) =>
    createClient({ url, token: null }, AbortSignal.timeout(20_000), 1).call("listTestObjects");
  await expect(list("http://127.0.0.1:1")).rejects.toThrow(/Nothing answers at http:\/\/127.0.0.1:1 \(.*bad port.*\)/);
  const gone = createServer().listen(0, "127.0.0.1");
  await once(gone, "listening");
  const { port } = gone.address() as AddressInfo;
  gone.close();
  await once(gone, "close");
  await expect(list(`http://127.0.0.1:${port}`)).rejects.toThrow(/\(connect ECONNREFUSED 127\.0\.0\.1:\d+\)/);
});

test("a certificate that is not trusted is not taken for a server that is away", async () => {
  const cause = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  const asked = jest.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("fetch failed", { cause }));
  open.push(() => asked.mockRestore());
  const { call } = createClient({ url: "https://a.test", token: null }, AbortSignal.timeout(20_000), 1);
  await expect(call("listTestObjects")).rejects.toThrow(
    "This machine does not trust the certificate of https://a.test (self-signed certificate). Set NODE_EXTRA_CA_CERTS to the file with its certificate authority.",
  );
});

test.each(["monitor.example.org", "localhost:8080", "ftp://localhost", "http://"])(
  "%s is said not to be the address of a server",
  async (url) => {
    const { call } = createClient({ url, token: null }, AbortSignal.timeout(20_000), 1);
    await expect(call("listTestObjects")).rejects.toThrow(`“${url}” is not the address of a server`);
  },
);

test("what changes something is asked once", async () => {
  const { list, crawl, asked } = await answering(good, broken, says(503));
  await list();
  await expect(crawl()).rejects.toThrow(/Nothing answers/);
  await expect(crawl()).rejects.toThrow(/answered 503/);
  expect(asked).toEqual(["GET", "POST", "POST"]);
});

test("but again where it did not reach a server that is being started again", async () => {
  const asked: string[] = [];
  const answer = JSON.stringify({ runId: "0199f3a0-0000-7000-8000-000000000000", total: 0 });
  const start = async (port: number) => {
    const server = createServer((request, response) => {
      asked.push(request.method ?? "");
      response.setHeader("connection", "close").end(request.method === "GET" ? "[]" : answer);
    }).listen(port, "127.0.0.1");
    await once(server, "listening");
    open.push(() => server.close());
    return server;
  };
  const before = await start(0);
  const { port } = before.address() as AddressInfo;
  const { call } = createClient({ url: `http://127.0.0.1:${port}`, token: null }, AbortSignal.timeout(20_000), 1);
  await call("listTestObjects");
  before.close();
  await once(before, "close");
  const crawling = call("crawl", { params: { id: "a" } });
  await start(port);
  expect(await crawling).toMatchObject({ total: 0 });
  expect(asked).toEqual(["GET", "POST"]);
});

test("but again where it was one of too many", async () => {
  const run = JSON.stringify({ runId: "0199f3a0-0000-7000-8000-000000000000", total: 0 });
  const { crawl, asked } = await answering(says(429, { "retry-after": "0" }), says(200, {}, run));
  expect(await crawl()).toMatchObject({ runId: expect.any(String) });
  expect(asked).toEqual(["POST", "POST"]);
});

test.each(["wt_a\nb", "wt a", "wt_“a”"])(
  "a token that no request can carry is told, and the server is not said to be away: %j",
  async (token) => {
    await expect((await answeringTo(token, says(200))).list()).rejects.toThrow(
      /^WEB_TESTER_TOKEN is not a valid token/,
    );
  },
);

test("who has no token is asked for one; one that is not taken is said to be wrong", async () => {
  await expect((await answering(says(401))).list()).rejects.toThrow(/needs its API token: set WEB_TESTER_TOKEN/);
  await expect((await answeringTo("wt_old", says(401))).list()).rejects.toThrow(/rejects the token .* revoked/);
});

test("a refusal is told in the words of the server, with details or without", async () => {
  const refusing = async (status: number, body: object) =>
    (await answering(says(status, {}, JSON.stringify(body)))).list();
  const words = "Needs the role Operator; yours is Viewer.";
  await expect(refusing(403, { status: 403, code: "forbidden", message: words })).rejects.toThrow(words);
  await expect(refusing(400, { status: 400, code: "invalid_input", message: words, details: [] })).rejects.toThrow(
    words,
  );
  await expect(refusing(500, {})).rejects.toThrow(/answered 500/);
});
