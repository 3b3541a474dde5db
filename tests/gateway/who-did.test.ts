import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import { connect as connectTo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { isChange } from "@web-tester/contracts/is-change";
import type { Role } from "@web-tester/contracts/entities/role";
import { WebSocket } from "ws";
import { askExactly } from "../support/ask-exactly.js";
import { gatewayOnly, startProduct, type Product } from "../support/product.js";
import { type Answer, endpoints, pathOf } from "../support/raw-calls.js";
import { askWith, bearer, bodyOf, makeToken } from "../support/token-calls.js";
import { until } from "../support/until.js";

/** The audit log records each change once, with who made it; and whatever a token has open ends with the token. */
const root = "open-Sesame-7";
let product: Product;
/** The secrets of tokens by their name. */
const secrets = new Map<string, string>();
const ids = { object: "", snapshot: "", run: "" };

const ask = (method: string, path: string, secret: string | undefined, body?: unknown): Promise<Answer> =>
  askWith(product, method, path, secret, body);

async function keepToken(name: string, of: Role): Promise<string> {
  const { id, secret } = await makeToken(product, root, { name, role: of });
  secrets.set(name, secret);
  return id;
}

beforeAll(async () => {
  product = await startProduct({ ...gatewayOnly, CRAWLERS: "1", API_TOKEN: root });
  await keepToken("admin", "admin");
  const made = await ask("POST", "/api/testobjects", root, { name: "Docs", url: "http://127.0.0.1:9/" });
  ids.object = String(bodyOf(made)["id"]);
  const [page] = await product.db.query<{ id: string }>(
    `INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, 'http://127.0.0.1:9/', '') RETURNING id`,
    [ids.object],
  );
  ids.snapshot = String(bodyOf(await ask("POST", "/api/testsnapshots", root, { testinstance_id: page?.id }))["id"]);
  const [run] = await product.db.query<{ id: string }>(
    `INSERT INTO run (test_object_id, kind, state, finished_at) VALUES ($1, 'snapshot-all', 'finished', now()) RETURNING id`,
    [ids.object],
  );
  ids.run = run?.id ?? "";
});
afterAll(() => product.stop());

describe("what goes on in the name of a token", () => {
  interface Peer {
    socket: WebSocket;
    /** The close code, once the socket is closed. */
    closed: number | undefined;
  }
  const opened: WebSocket[] = [];
  afterAll(() => opened.forEach((socket) => socket.terminate()));

  async function connect(path: string, headers: Record<string, string>): Promise<Peer> {
    const socket = new WebSocket(product.address.replace("http", "ws") + path, { headers });
    opened.push(socket);
    const peer: Peer = { socket, closed: undefined };
    socket.on("close", (code) => (peer.closed = code));
    await once(socket, "open");
    return peer;
  }

  /** Requests an answer of 120 MB and does not read it. Linux buffers less than that for a connection, so the server stays in the middle of writing it. */
  async function stall(secret: string | undefined): Promise<{ read: () => Promise<{ isWhole: boolean }> }> {
    const { hostname, port } = new URL(product.address);
    const socket = connectTo({ host: hostname, port: Number(port) });
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(
      `GET /api/audit/export?format=csv HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${secret}\r\nConnection: close\r\n\r\n`,
    );
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(first.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
    socket.pause();
    return {
      read: async () => {
        let end = first;
        socket.on("data", (part: Buffer) => (end = Buffer.concat([end, part]).subarray(-100)));
        socket.resume();
        if (!socket.closed) await once(socket, "close");
        // the last chunk of a chunked body
        return { isWhole: end.toString("latin1").endsWith("0\r\n\r\n") };
      },
    };
  }

  beforeAll(async () => {
    await product.db.query(
      `INSERT INTO audit_entry (actor, actor_kind, address, action, status, created_at)
       SELECT 'somebody ' || n || repeat('.', 1200), 'token', '127.0.0.1', 'crawl', 200, now() - interval '1 day' FROM generate_series(1, 100000) n`,
    );
  });

  const ends: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
    ["is revoked", (id) => ask("DELETE", `/api/tokens/${id}`, root)],
    // nothing tells the gateway, which checks every 15 s
    ["ends", (id) => product.db.query(`UPDATE api_token SET expires_at = now() WHERE id = $1`, [id])],
  ];

  test.each(ends)(
    "websockets, sign-ins and answers under way end when it %s, and those of others go on",
    async (how, end) => {
      const id = await keepToken(`goes: ${how}`, "admin");
      const [goes, stays] = [secrets.get(`goes: ${how}`), secrets.get("admin")];
      const signIn = await askExactly(product.address, { method: "POST", path: "/api/session", body: { token: goes } });
      const cookie = (signIn.headers["set-cookie"] ?? []).map((each) => each.split(";")[0]).join("; ");
      const own = [
        await connect("/ws", { authorization: `Bearer ${goes}` }),
        await connect("/ws/console", { authorization: `Bearer ${goes}` }),
        await connect("/ws", { cookie, origin: product.address }),
      ];
      const other = await connect("/ws", { authorization: `Bearer ${stays}` });
      const [ownAnswer, otherAnswer] = [await stall(goes), await stall(stays)];
      await end(id);
      await until("the end of its websockets", () => own.every(({ closed }) => closed !== undefined));
      expect(own.map(({ closed }) => closed)).toEqual([4401, 4401, 4401]);
      expect(await ownAnswer.read()).toEqual({ isWhole: false });
      expect(
        (await askExactly(product.address, { method: "GET", path: "/api/stats", headers: { cookie } })).status,
      ).toBe(401);
      // positive control: the connection of another token still works, and its download of the same answer arrives whole
      expect(other.closed).toBeUndefined();
      other.socket.ping();
      await once(other.socket, "pong");
      expect(await otherAnswer.read()).toEqual({ isWhole: true });
    },
  );
});

describe("the list of who changed what", () => {
  interface Entry {
    id: string;
    actor: string;
    action: string;
    outcome: string;
    object_name: string | null;
    testobject_id: string | null;
    made_id: string | null;
    fields: string[];
    subject_kind: string | null;
  }
  const entriesOf = (actor: string) =>
    product.db.query<{ action: string; status: number | null }>(
      `SELECT action, status FROM audit_entry WHERE actor = $1 ORDER BY id`,
      [actor],
    );
  /** Waits until all entries of an actor have ended, and returns them. */
  const ended = (actor: string) =>
    until(`the ends of entries of ${actor}`, async () => {
      const entries = await entriesOf(actor);
      return entries.every(({ status }) => status !== null) && entries;
    });
  const changing = endpoints.filter(({ name }) => isChange(name) && name !== "signIn" && name !== "signOut");

  test.each([
    ["viewer", "refused"],
    ["admin", "of a thing that is not there"],
  ] as const)("every changing call of a %s that is %s leaves one entry, every other call none", async (own, _how) => {
    const name = `audited ${own}`;
    await keepToken(name, own);
    for (const row of endpoints.filter((each) => each.role !== "public"))
      await ask(row.method, pathOf(row, randomUUID()), secrets.get(name), row.method === "GET" ? undefined : {});
    const entries = await ended(name);
    expect(entries.map(({ action }) => action).toSorted()).toEqual(changing.map((row) => row.name).toSorted());
    // calls without an id in their path may succeed with an empty body
    const done = entries.filter(({ status }) => (status ?? 500) < 400).map(({ action }) => action);
    expect(
      own === "viewer"
        ? done
        : done.filter((action) => !["clearLogs", "createFeed", "createSample", "importData"].includes(action)),
    ).toEqual([]);
    expect(entries.filter(({ status }) => (status ?? 500) >= 500)).toEqual([]);
  });

  test("those that go through are told with what, on what, and what they made; secrets and values are not", async () => {
    await keepToken("Ada", "admin");
    const call = async (method: string, path: string, body: unknown = {}) => {
      const answer = await ask(method, path, secrets.get("Ada"), body);
      expect({ path, status: answer.status < 400 }).toEqual({ path, status: true });
      return answer.text === "" ? {} : bodyOf(answer);
    };
    const object = String(
      (await call("POST", "/api/testobjects", { name: "The shop", url: "http://127.0.0.1:9/" }))["id"],
    );
    const of = (part: string) => `/api/testobjects/${object}/${part}`;
    await call("PATCH", `/api/testobjects/${object}`, {
      auth_password: "geheim-7",
      auth_enabled: true,
      auth_username: "u",
    });
    const rule = String((await call("POST", of("rules"), { kind: "text", pattern: "x" }))["id"]);
    await call("PATCH", `/api/rules/${rule}`, { enabled: false });
    await call("DELETE", `/api/rules/${rule}`);
    const when = { work: "crawl", time: { type: "every", minutes: 1_440 } };
    const schedule = String((await call("POST", of("schedules"), when))["id"]);
    await call("DELETE", `/api/schedules/${schedule}`);
    const check = String((await call("POST", of("checks"), { against: "baseline" }))["id"]);
    await call("POST", of("badge"));
    const feed = String((await call("POST", "/api/feeds", { testobject_id: object }))["id"]);
    await call("DELETE", `/api/feeds/${feed}`);
    const share = String((await call("POST", "/api/shares", { kind: "snapshot", snapshot_id: ids.snapshot }))["id"]);
    await call("DELETE", `/api/shares/${share}`);
    const token = await call("POST", "/api/tokens", { name: "Short", role: "viewer" });
    await call("DELETE", `/api/tokens/${String(token["id"])}`);
    await call("PATCH", `/api/runs/${ids.run}`, { label: "release 1" });
    await call("DELETE", `/api/testobjects/${object}`);
    await ended("Ada");
    const list = bodyOf(await ask("GET", "/api/audit?actor=Ada&limit=500", root))["items"] as Entry[];
    const told = list.toReversed().map(({ action, outcome }) => `${action} ${outcome}`);
    expect(told).toEqual(
      [
        ...[
          "createTestObject",
          "updateTestObject",
          "createRule",
          "updateRule",
          "deleteRule",
          "createSchedule",
          "deleteSchedule",
        ],
        ...[
          "startCheck",
          "createBadge",
          "createFeed",
          "deleteFeed",
          "createShare",
          "revokeShare",
          "createToken",
          "revokeToken",
        ],
        ...["updateRun", "deleteTestObject"],
      ].map((action) => `${action} done`),
    );
    const entry = (action: string) => list.find((each) => each.action === action);
    expect(entry("updateTestObject")).toMatchObject({
      ...{ object_name: "The shop", testobject_id: object, subject_kind: "test object" },
      fields: ["auth_password", "auth_enabled", "auth_username"],
    });
    expect(entry("createTestObject")).toMatchObject({ made_id: object, object_name: "The shop" });
    expect(entry("deleteRule")).toMatchObject({ subject_kind: "rule", object_name: "The shop" });
    expect(entry("deleteSchedule")).toMatchObject({ subject_kind: "schedule", object_name: "The shop" });
    expect(entry("startCheck")?.made_id).toBe(check);
    expect(entry("revokeShare")).toMatchObject({ subject_kind: "share link", object_name: "Docs" });
    const [kept] = await product.db.query<{ text: string }>(
      `SELECT string_agg(a::text, '') AS text FROM audit_entry a WHERE actor = 'Ada'`,
    );
    for (const word of ["geheim-7", String(token["token"]), "release 1"]) expect(kept?.text).not.toContain(word);
  });

  test("who signs in is named, and who tries to with a wrong token is nobody known", async () => {
    await keepToken("Lin", "reviewer");
    for (const token of [secrets.get("Lin"), `wt_${"x".repeat(43)}`])
      await askExactly(product.address, { method: "POST", path: "/api/session", body: { token } });
    expect(await ended("Lin")).toEqual([{ action: "signIn", status: 200 }]);
    expect((await ended("nobody known")).at(-1)).toEqual({ action: "signIn", status: 401 });
  });

  test("assistants over HTTP are let in by a token alone, and may do what its role may", async () => {
    await keepToken("Robot", "viewer");
    const tool = (name: string, args: object, headers: OutgoingHttpHeaders) =>
      askExactly(product.address, {
        ...{ method: "POST", path: "/api/mcp", headers: { accept: "application/json, text/event-stream", ...headers } },
        body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
      });
    const robot = bearer(secrets.get("Robot"));
    expect((await tool("list_sites", {}, robot)).text).toContain("Docs");
    const check = await tool("check", { site: "Docs", fetch: true }, robot);
    expect(check.text).toMatch(/Your role is viewer; this needs operator/);
    expect((await ended("Robot")).map(({ status }) => status)).toEqual([403]);
    expect((await tool("list_sites", {}, {})).status).toBe(401);
    const { headers } = await askExactly(product.address, {
      ...{ method: "POST", path: "/api/session", body: { token: secrets.get("Robot") } },
    });
    const cookie = String(headers["set-cookie"]?.[0]?.split(";")[0]);
    expect((await tool("list_sites", {}, { cookie, "sec-fetch-site": "same-origin" })).status).toBe(401);
    const share = bodyOf(await ask("POST", "/api/shares", root, { kind: "snapshot", snapshot_id: ids.snapshot }));
    expect((await tool("list_sites", {}, bearer(String(share["secret"])))).status).toBe(403);
    expect((await ask("GET", "/api/mcp", secrets.get("Robot"))).status).toBe(405);
  });

  test("a run knows who began it, and in what way", async () => {
    await keepToken("Grace", "operator");
    const begin = async (headers: Record<string, string>) => {
      const path = `/api/testobjects/${ids.object}/crawl`;
      const all = { ...bearer(secrets.get("Grace")), ...headers };
      const { runId } = bodyOf(await askExactly(product.address, { method: "POST", path, headers: all, body: {} }));
      await until("its end", async () => {
        const [run] = await product.db.query<{ state: string }>(`SELECT state FROM run WHERE id = $1`, [runId]);
        return run?.state === "finished";
      });
      const list = bodyOf(await ask("GET", `/api/testobjects/${ids.object}/runs`, root))["items"] as Record<
        string,
        unknown
      >[];
      const run = list.find(({ id }) => id === runId);
      return [run?.["started_by"], run?.["started_name"]];
    };
    expect(await begin({})).toEqual(["api", "Grace"]);
    expect(await begin({ "user-agent": "web-tester-cli" })).toEqual(["cli", "Grace"]);
    expect(await begin({ "sec-fetch-site": "same-origin" })).toEqual(["person", "Grace"]);
  });

  test("an export carries no tokens, links, checks or entries, and importing it changes none", async () => {
    const share = bodyOf(await ask("POST", "/api/shares", root, { kind: "snapshot", snapshot_id: ids.snapshot }));
    await ask("POST", `/api/testobjects/${ids.object}/checks`, root, { against: "baseline" });
    const kept = async () =>
      (
        await product.db.query<{ rows: string }>(
          `SELECT (SELECT json_agg(t ORDER BY id) FROM api_token t)::text || (SELECT json_agg(s ORDER BY id) FROM share_link s)::text
             || (SELECT json_agg(c ORDER BY id) FROM release_check c)::text AS rows`,
        )
      )[0]?.rows.replaceAll(/"last_used_at":("[^"]*"|null)/g, "");
    const before = await kept();
    expect(before?.match(/"id":/g)?.length).toBeGreaterThan(5);
    const { text } = await ask("GET", "/api/export", root);
    const [hash] = await product.db.query<{ hex: string }>(`SELECT encode(secret_hash, 'hex') AS hex FROM share_link`);
    for (const word of [String(share["secret"]), hash?.hex ?? "?", "api_token", "audit", "baseline"])
      expect(text).not.toContain(word);
    await keepToken("Importer", "operator");
    const imported = await ask("POST", "/api/import?async=false", secrets.get("Importer"), JSON.parse(text));
    expect(imported.status).toBe(200);
    const [own] = await product.db.query<{ id: string }>(`SELECT id FROM api_token WHERE name = 'Importer'`);
    await product.db.query(`DELETE FROM api_token WHERE id = $1`, [own?.id]);
    expect(await kept()).toBe(before);
    expect((await ended("Importer")).map(({ action, status }) => [action, status])).toEqual([["importData", 200]]);
  });

  test("paged through, 100,000 entries come once each, also while new ones are written", async () => {
    const seen = new Set<string>();
    let doubled = 0;
    for (let cursor: string | null = "", page = 0; cursor !== null; page++) {
      const answer = bodyOf(
        await ask("GET", `/api/audit?limit=500&actor=somebody${cursor === "" ? "" : `&cursor=${cursor}`}`, root),
      );
      for (const { id } of answer["items"] as Entry[]) {
        if (seen.has(id)) doubled += 1;
        seen.add(id);
      }
      // a change between two pages is newer than all entries that are still to be listed
      if (page % 50 === 0) await ask("PATCH", `/api/runs/${ids.run}`, root, { label: `page ${page}` });
      cursor = answer["nextCursor"] as string | null;
    }
    expect({ seen: seen.size, doubled }).toEqual({ seen: 100_000, doubled: 0 });
  });
});
