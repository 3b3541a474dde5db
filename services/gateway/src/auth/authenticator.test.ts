import { describe, expect, test } from "@jest/globals";
import type { Database } from "@web-tester/platform/database/database";
import { hashSecret } from "@web-tester/records/tokens/tokens";
import type { AccessPolicy } from "./access.js";
import { Authenticator } from "./authenticator.js";

const host = "localhost:8080";
const policy: AccessPolicy = {
  ...{ token: "s3cret", tokenHeader: "x-api-token", host: "127.0.0.1", hasProvider: false },
  ...{ signingKey: Buffer.alloc(32), cookies: { plain: "wt", overTls: "__Host-wt" } },
};
const own = `wt_${"a".repeat(43)}`;
const id = "0198c0de-0000-7000-8000-000000000000";

/** A database that knows one token, and records the queries it gets. */
function databaseWith(kept: number): { db: Database; asked: unknown[][] } {
  const asked: unknown[][] = [];
  const query = async (sql: unknown, values: readonly unknown[] = []) => {
    asked.push([...values]);
    if (String(sql).includes("count(*)")) return [{ kept, admins: kept }];
    const [hash] = values;
    return Buffer.isBuffer(hash) && hash.equals(hashSecret(own))
      ? [{ id, name: "CI", role: "operator", expires_at: null }]
      : [];
  };
  return { db: { query } as unknown as Database, asked };
}

const authenticatorOf = (under: AccessPolicy, kept = 0) =>
  new Authenticator(under, databaseWith(kept).db, Buffer.alloc(32));
const shown = (headers: object, method = "GET") => ({
  method,
  url: "/api/x",
  address: "10.0.0.1",
  headers: { host, ...headers },
});

describe("API_TOKEN", () => {
  const authenticator = authenticatorOf(policy);
  test.each([
    [{ authorization: "Bearer s3cret" }, "root"],
    [{ authorization: "bearer  s3cret" }, "root"],
    [{ "x-api-token": "s3cret" }, "root"],
    [{ authorization: "Bearer wrong", "x-api-token": "s3cret" }, "root"],
    [{}, null],
    [{ authorization: "s3cret" }, null],
    [{ authorization: "Basic s3cret" }, null],
    [{ authorization: "Bearer s3cre" }, null],
    [{ authorization: "Bearer s3crett" }, null],
    [{ authorization: "Bearer " }, null],
    [{ "x-api-token": "" }, null],
    [{ "x-other": "s3cret" }, null],
    [{ cookie: "wt=s3cret" }, null],
  ])("%j → %s", async (headers, kind) => {
    expect((await authenticator.identify(shown(headers)))?.kind ?? null).toBe(kind);
  });

  const carrier = (token: string) => `token.${Buffer.from(token).toString("base64url")}`;
  test.each([
    [`web-tester, ${carrier("s3cret")}`, "root"],
    [`${carrier("s3cret")},web-tester`, "root"],
    [`web-tester, ${carrier(own)}`, "token"],
    [`web-tester, ${carrier("wrong")}`, null],
    ["web-tester, token.", null],
    ["web-tester", null],
    [undefined, null],
  ])("subprotocols %s → %s", async (protocols, kind) => {
    const actor = await authenticator.identifySocket(shown({ "sec-websocket-protocol": protocols }));
    expect(actor?.kind ?? null).toBe(kind);
  });
});

describe("a named token", () => {
  test("says its name and role", async () => {
    expect(await authenticatorOf(policy).identify(shown({ authorization: `Bearer ${own}` }))).toMatchObject({
      ...{ kind: "token", name: "CI", role: "operator", ownerId: id, credentials: [id], signedIn: false },
    });
  });

  test("is looked up by its hash, so that no part of a wrong one is compared with a right one", async () => {
    const { db, asked } = databaseWith(1);
    const authenticator = new Authenticator({ ...policy, token: null }, db, Buffer.alloc(32));
    const wrong = `${own.slice(0, -1)}b`;
    expect(await authenticator.bySecret(wrong)).toBeNull();
    expect(asked).toEqual([[hashSecret(wrong)]]);
  });

  test("what cannot be one is not looked up", async () => {
    const { db, asked } = databaseWith(1);
    const authenticator = new Authenticator({ ...policy, token: null }, db, Buffer.alloc(32));
    for (const secret of ["", "wt_", `${own}a`, own.slice(1), `WT_${own.slice(3)}`, `wt_${"é".repeat(43)}`])
      expect(await authenticator.bySecret(secret)).toBeNull();
    expect(asked).toEqual([]);
  });
});

describe("without API_TOKEN", () => {
  const none: AccessPolicy = { ...policy, token: null };

  test("anybody may do everything as long as no token was made, whatever they send", async () => {
    for (const headers of [{}, { authorization: "Bearer wrong" }, { "x-api-token": own }])
      expect(await authenticatorOf(none).identify(shown(headers))).toMatchObject({
        kind: "anybody",
        role: "admin",
        name: "10.0.0.1",
      });
  });

  test("who asks at the same time asks the database once, and a token that is made meanwhile closes it at once", async () => {
    const answers: ((rows: unknown[]) => void)[] = [];
    const query = () => new Promise<unknown[]>((resolve) => answers.push(resolve));
    const authenticator = new Authenticator(none, { query } as unknown as Database, Buffer.alloc(32));
    const before = Promise.all(Array.from({ length: 100 }, () => authenticator.isOpen()));
    expect(answers).toHaveLength(1);
    authenticator.forget();
    const after = [authenticator.isOpen(), authenticator.isOpen()];
    expect(answers).toHaveLength(2);
    answers[1]?.([{ kept: 1, admins: 1 }]);
    expect(await Promise.all(after)).toEqual([false, false]);
    // the older answer comes last, and is not remembered
    answers[0]?.([{ kept: 0, admins: 0 }]);
    expect(new Set(await before)).toEqual(new Set([true]));
    expect(await authenticator.isOpen()).toBe(false);
    expect(answers).toHaveLength(2);
  });

  test("a clock that is put back makes nobody believe an old answer", async () => {
    const kept = { tokens: 0 };
    const query = () => Promise.resolve([{ kept: kept.tokens, admins: kept.tokens }]);
    let now = Date.parse("2026-11-29T12:00:00Z");
    const authenticator = new Authenticator(none, { query } as unknown as Database, Buffer.alloc(32), () => now);
    expect(await authenticator.isOpen()).toBe(true);
    // made at another gateway
    kept.tokens = 1;
    now -= 3_600_000;
    expect(await authenticator.isOpen()).toBe(false);
  });

  test("a question that fails is asked again by who comes next", async () => {
    const { db } = databaseWith(0);
    const rows = db.query.bind(db);
    let fails = true;
    const query = (...asked: Parameters<typeof rows>) => (fails ? Promise.reject(new Error("away")) : rows(...asked));
    const authenticator = new Authenticator(none, { query } as unknown as Database, Buffer.alloc(32));
    await expect(authenticator.isOpen()).rejects.toThrow("away");
    fails = false;
    expect(await authenticator.isOpen()).toBe(true);
  });

  test("a token closes it, and so does an identity provider", async () => {
    expect(await authenticatorOf(none, 1).identify(shown({}))).toBeNull();
    expect(await authenticatorOf({ ...none, hasProvider: true }).identify(shown({}))).toBeNull();
    expect((await authenticatorOf(none, 1).identify(shown({ authorization: `Bearer ${own}` })))?.kind).toBe("token");
  });
});

test("a cookie changes nothing unless the browser says that our page asks", async () => {
  const authenticator = authenticatorOf(policy);
  const cookie = "wt=something";
  expect(await authenticator.identify(shown({ cookie }))).toBeNull();
  await expect(authenticator.identify(shown({ cookie }, "POST"))).rejects.toMatchObject({ code: "forbidden_origin" });
  await expect(authenticator.identifySocket(shown({ cookie }))).rejects.toMatchObject({ code: "forbidden_origin" });
  expect(await authenticator.identify(shown({ cookie, origin: "http://localhost:8080" }, "POST"))).toBeNull();
  expect(await authenticator.identify(shown({ cookie, "sec-fetch-site": "same-origin" }, "POST"))).toBeNull();
});
