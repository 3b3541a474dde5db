import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { includesRole, role, type Role } from "@web-tester/contracts/entities/role";
import type { EndpointName } from "@web-tester/contracts/api";
import { insertShare, type SharedOf } from "@web-tester/records/shares/shares";
import { askExactly } from "../support/ask-exactly.js";
import { evasionsOf } from "../support/evasions.js";
import { gatewayOnly, startProduct, type Product } from "../support/product.js";
import { type Answer, endpoints, pathOf, tableState } from "../support/raw-calls.js";
import { askWith, bearer, bodyOf, makeToken } from "../support/token-calls.js";

/**
 * Every route of the endpoint table × role × (own, other's, revoked, expired, share link): what each may do, and that it may do nothing else. A call
 * that passes the permission check answers 404 for a thing that does not exist, or 400 for an invalid body; one that does not pass, 401 or 403.
 */
const root = "open-Sesame-7";
const roles = role.options;
let product: Product;
/** The secrets of tokens by their name: a role, `other <role>`, `revoked <role>`, `expired <role>`. */
const secrets = new Map<string, string>();
const ids = { object: "", snapshot: "", other: "", run: "" };
/** The secrets of share links by kind. */
const shares = new Map<string, string>();

const ask = (method: string, path: string, secret: string | undefined, body?: unknown): Promise<Answer> =>
  askWith(product, method, path, secret, body);

async function keepToken(name: string, of: Role): Promise<string> {
  const { id, secret } = await makeToken(product, root, { name, role: of });
  secrets.set(name, secret);
  return id;
}

async function makeShare(of: SharedOf, hours = 1): Promise<string> {
  const secret = `wts_${randomBytes(32).toString("base64url")}`;
  await insertShare(product.db, {
    ...of,
    objectId: ids.object,
    secret,
    madeBy: "a test",
    makerId: null,
    note: "",
    hours,
  });
  return secret;
}

beforeAll(async () => {
  product = await startProduct({ ...gatewayOnly, API_TOKEN: root });
  const made = await ask("POST", "/api/testobjects", root, { name: "Docs", url: "http://127.0.0.1:9/" });
  ids.object = String(bodyOf(made)["id"]);
  for (const each of roles) {
    await keepToken(each, each);
    await keepToken(`other ${each}`, each);
    await ask("DELETE", `/api/tokens/${await keepToken(`revoked ${each}`, each)}`, root);
    const expired = await keepToken(`expired ${each}`, each);
    await product.db.query(`UPDATE api_token SET expires_at = now() - interval '1 second' WHERE id = $1`, [expired]);
  }
  const [page] = await product.db.query<{ id: string }>(
    `INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, 'http://127.0.0.1:9/', '') RETURNING id`,
    [ids.object],
  );
  for (const name of ["snapshot", "other"] as const)
    ids[name] = String(bodyOf(await ask("POST", "/api/testsnapshots", root, { testinstance_id: page?.id }))["id"]);
  const [run] = await product.db.query<{ id: string }>(
    `INSERT INTO run (test_object_id, kind, state, finished_at) VALUES ($1, 'snapshot-all', 'finished', now()) RETURNING id`,
    [ids.object],
  );
  ids.run = run?.id ?? "";
  const none = { runId: null, snapshotId: null, otherId: null };
  shares.set("snapshot", await makeShare({ ...none, kind: "snapshot", snapshotId: ids.snapshot }));
  shares.set(
    "difference",
    await makeShare({ ...none, kind: "difference", snapshotId: ids.snapshot, otherId: ids.other }),
  );
  shares.set("review", await makeShare({ ...none, kind: "review", runId: ids.run }));
});
afterAll(() => product.stop());

/** Returns the id to call in one cell of the matrix: of a new token or a new share link of `whose` for calls that revoke, else one that names nothing. */
async function subjectOf(name: EndpointName, whose: string): Promise<string> {
  if (name === "revokeToken") return keepToken(`spare ${randomUUID()}`, "viewer");
  if (name !== "revokeShare") return randomUUID();
  const body = { kind: "snapshot", snapshot_id: ids.snapshot };
  return String(bodyOf(await ask("POST", "/api/shares", secrets.get(whose), body))["id"]);
}

/** Tells whether a status is among those that one cell of the matrix may answer. */
function isRight(name: EndpointName, own: Role, isOwn: boolean, status: number): boolean {
  const needed = endpoints.find((row) => row.name === name)?.role ?? "admin";
  if (!includesRole(own, needed)) return status === 403;
  if (name === "revokeShare" && !isOwn && own !== "admin") return status === 404;
  if (name === "revokeShare" || name === "revokeToken") return status === 200;
  return status !== 401 && status !== 403 && status < 500;
}

describe("the matrix", () => {
  test.each(roles)("%s, with own things and those of others", async (own) => {
    const wrong: unknown[] = [];
    for (const row of endpoints)
      for (const whose of [own, `other ${own}`]) {
        // a viewer may not share and so has no links: it tries those of a reviewer
        const owner = row.name === "revokeShare" && own === "viewer" ? "reviewer" : whose;
        const path = pathOf(row, await subjectOf(row.name, owner));
        const { status } = await ask(row.method, path, secrets.get(own), row.method === "GET" ? undefined : {});
        if (!isRight(row.name, own, whose === own, status)) wrong.push([row.name, own, whose, status]);
      }
    expect(wrong).toEqual([]);
  });

  test.each(["revoked", "expired"])("a token that is %s opens nothing, whatever its role", async (state) => {
    const wrong: unknown[] = [];
    for (const own of roles)
      for (const row of endpoints.filter((each) => each.role !== "public")) {
        const { status } = await ask(row.method, pathOf(row, randomUUID()), secrets.get(`${state} ${own}`), {});
        if (status !== 401) wrong.push([row.name, own, status]);
      }
    expect(wrong).toEqual([]);
  });

  const opened: Record<string, readonly EndpointName[]> = {
    snapshot: ["getTestSnapshot", "getSnapshotLines"],
    difference: [
      ...(["getTestSnapshot", "getSnapshotLines", "getDiff", "getDiffHunks", "getDiffBeside", "getFileDiff"] as const),
      ...(["getVisualDiff", "getVisualText", "getVisualPictures"] as const),
    ],
    review: ["getReview", "listReviewPages"],
  };
  const ofKind: Record<string, () => string> = {
    snapshot: () => ids.snapshot,
    difference: () => ids.other,
    review: () => ids.run,
  };

  test.each(Object.keys(opened))("a link to a %s opens that, and nothing else", async (kind) => {
    const wrong: unknown[] = [];
    for (const row of endpoints.filter((each) => each.role !== "public")) {
      const right = ofKind[kind]?.() ?? "";
      const may = row.name === "getShared" || opened[kind]?.includes(row.name) === true;
      const query = { a: ids.snapshot, b: ids.other, from: "1", to: "2", url: "http://127.0.0.1:9/a.css" };
      const own = await ask(row.method, pathOf(row, right, row.method === "GET" ? query : {}), shares.get(kind), {});
      if (may ? own.status === 401 || own.status === 403 : own.status !== 403)
        wrong.push([row.name, "own", own.status]);
      // ids of other things, and the right ids swapped
      for (const bad of [randomUUID(), ids.object]) {
        const path = pathOf(row, bad, row.method === "GET" ? { ...query, a: ids.other, b: ids.snapshot } : {});
        const { status } = await ask(row.method, path, shares.get(kind), {});
        if (row.name !== "getShared" && status !== 403) wrong.push([row.name, bad, status]);
      }
    }
    for (const path of ["/api/docs", "/api/openapi.json", "/api/docs/", "/api"])
      if ((await ask("GET", path, shares.get(kind))).status !== 403) wrong.push(path);
    expect(wrong).toEqual([]);
    expect((await ask("GET", "/api/openapi.json", secrets.get("viewer"))).status).toBe(200);
  });

  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "MDEyMzQ1Njc4OWFiY2RlZg==",
  };
  test.each(["/ws", "/ws/console"])("websockets: %s", async (path) => {
    const open = (secret: string | undefined) =>
      askExactly(product.address, { method: "GET", path, headers: { ...upgrade, ...bearer(secret) } });
    for (const each of roles) expect((await open(secrets.get(each))).status).toBe(101);
    for (const each of roles)
      for (const name of [`revoked ${each}`, `expired ${each}`])
        expect((await open(secrets.get(name))).status).toBe(401);
    for (const secret of shares.values()) expect((await open(secret)).status).toBe(401);
  });
});

describe("evasions", () => {
  const changing = endpoints.filter(
    ({ role: needed, method }) => method !== "GET" && needed !== "viewer" && needed !== "public",
  );

  test("a viewer, and whoever has a link, changes nothing by any of them", async () => {
    const before = await tableState(product);
    const through: string[] = [];
    let tried = 0;
    for (const [what, evade] of evasionsOf(root)) {
      // some evasions put API_TOKEN itself where the product must not read it
      for (const secret of [secrets.get("viewer"), shares.get("snapshot")])
        for (const row of changing.filter((_, index) => index % 5 === tried % 5)) {
          tried += 1;
          const plain = pathOf(row, ids.object);
          const { path = plain, method = row.method, headers = {} } = evade(plain, row.method);
          const answer = await askExactly(product.address, {
            method,
            path,
            headers: { ...bearer(secret), ...headers },
            body: {},
          });
          // a viewer may use the methods that read
          const reads = method === "OPTIONS" || method === "HEAD";
          if (answer.status < 400 && !reads) through.push(`${what}: ${method} ${path}: ${answer.status}`);
        }
    }
    expect(tried).toBeGreaterThan(400);
    expect(through).toEqual([]);
    expect(await tableState(product)).toEqual(before);
  });

  test("positive control: the same calls of an operator go through", async () => {
    const made = await ask("PATCH", `/api/testobjects/${ids.object}`, secrets.get("operator"), { name: "Docs 2" });
    expect(made.status).toBe(200);
  });
});

describe("links to what was removed", () => {
  const showsOf = async (secret: string) => {
    const { status, text } = await ask("GET", "/api/shared", secret);
    return { status, text };
  };
  const stateOf = async (id: string): Promise<unknown> => {
    const { items } = bodyOf(await ask("GET", "/api/shares", root)) as { items: { id: string; state: string }[] };
    return items.find((each) => each.id === id)?.state;
  };

  test.each([
    ["a snapshot", "snapshot"],
    ["a difference whose older side is gone", "difference"],
  ])("%s: the list says so, and so does the link", async (_what, kind) => {
    const [{ page } = { page: "" }] = await product.db.query<{ page: string }>(
      "SELECT test_instance_id AS page FROM test_snapshot WHERE id = $1",
      [ids.snapshot],
    );
    const one = bodyOf(await ask("POST", "/api/testsnapshots", root, { testinstance_id: page }))["id"];
    const body = { kind, snapshot_id: one, ...(kind === "difference" ? { other_id: ids.other } : {}) };
    const made = bodyOf(await ask("POST", "/api/shares", root, body));
    const [id, secret] = [String(made["id"]), String(made["secret"])];
    expect([await stateOf(id), (await showsOf(secret)).status]).toEqual(["active", 200]);

    // as retention does it
    await product.db.query("DELETE FROM test_snapshot WHERE id = $1", [one]);

    const { status, text } = await showsOf(secret);
    expect([status, text]).toEqual([404, expect.stringMatching(/What this link showed no longer exists/)]);
    expect(await stateOf(id)).toBe("gone");
    expect(bodyOf(await ask("DELETE", `/api/shares/${id}`, root))["state"]).toBe("revoked");
  });
});
