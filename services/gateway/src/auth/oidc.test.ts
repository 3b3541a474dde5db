import { createSign, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { createProvider, type ProviderSettings, roleOf } from "./oidc.js";

const issuer = "https://login.example.org";
const redirectUri = "https://monitor.example.org/auth/callback";
const settings: ProviderSettings = {
  ...{ issuer, clientId: "web-tester", clientSecret: "s3cret", scopes: "openid" },
  ...{ roleClaim: "roles", roleMap: [], defaultRole: null },
};
const own = generateKeyPairSync("rsa", { modulusLength: 2048 });
const foreign = generateKeyPairSync("rsa", { modulusLength: 2048 });

type Json = Record<string, unknown>;
/** How a hostile provider alters the token that it would send. */
interface Forgery {
  claims?: (claims: Json) => Json;
  header?: Json;
  key?: typeof own.privateKey;
  /** Applied after the token was signed. */
  token?: (token: string) => unknown;
  /** Replaced fields of the provider's metadata. */
  metadata?: Json;
  /** What the provider does instead of answering with a token. */
  fault?: () => Response;
}

const part = (value: Json): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const answer = (value: unknown): Response =>
  new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });

function sign(claims: Json, { header = {}, key = own.privateKey }: Forgery): string {
  const head = { alg: "RS256", kid: "own", ...header };
  const text = `${part(head)}.${part(claims)}`;
  if (head.alg === "none") return `${text}.`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(key, "base64url")}`;
}

/**
 * Signs in at a provider that answers with a forgery.
 * @returns the person, or the code of the refusal
 */
async function signInAt(forgery: Forgery): Promise<unknown> {
  let nonce = "";
  const asked: { path: string; body: string }[] = [];
  const provider = createProvider(settings, async (url, { body }) => {
    const { pathname } = new URL(url);
    asked.push({ path: pathname, body: String(body) });
    if (pathname.endsWith("/openid-configuration"))
      return answer({
        ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/keys`, id_token_signing_alg_values_supported: ["RS256"] },
        ...{ response_types_supported: ["code"], subject_types_supported: ["public"], ...forgery.metadata },
      });
    if (pathname === "/keys")
      return answer({ keys: [{ ...own.publicKey.export({ format: "jwk" }), kid: "own", use: "sig" }] });
    if (forgery.fault !== undefined) return forgery.fault();
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer,
      aud: "web-tester",
      sub: "7",
      nonce,
      iat: now,
      exp: now + 60,
      name: "Ada",
      roles: ["admin"],
    };
    const token = sign(forgery.claims?.(claims) ?? claims, forgery);
    return answer({
      access_token: "a",
      token_type: "Bearer",
      id_token: forgery.token === undefined ? token : forgery.token(token),
    });
  });
  try {
    const { url, pending } = await provider.begin(redirectUri, "/");
    nonce = url.searchParams.get("nonce") ?? "";
    expect(url.searchParams.get("code_challenge_method")).toBe("S256");
    const person = await provider.finish(new URLSearchParams({ code: "c", state: pending.state }), pending);
    expect(asked.find(({ path }) => path === "/token")?.body).toContain(`code_verifier=${pending.verifier}`);
    return person;
  } catch (error) {
    return typeof error === "object" && error !== null && "code" in error ? error.code : error;
  }
}

test("an honest provider signs somebody in", async () => {
  expect(await signInAt({})).toEqual({ id: expect.stringMatching(/^[\da-f-]{36}$/), name: "Ada", role: "admin" });
  // control: the way in which the forgeries below are made is no fault by itself
  expect(await signInAt({ claims: (claims) => ({ ...claims, aud: ["web-tester"] }) })).toMatchObject({ name: "Ada" });
});

const past = Math.floor(Date.now() / 1_000) - 3_600;
test.each<[string, Forgery]>([
  ["another nonce", { claims: (claims) => ({ ...claims, nonce: "other" }) }],
  ["no nonce", { claims: (claims) => ({ ...claims, nonce: undefined }) }],
  ["another audience", { claims: (claims) => ({ ...claims, aud: "another-client" }) }],
  ["several audiences without a party", { claims: (claims) => ({ ...claims, aud: ["web-tester", "another"] }) }],
  ["another issuer", { claims: (claims) => ({ ...claims, iss: "https://evil.example" }) }],
  ["an end that is over", { claims: (claims) => ({ ...claims, iat: past - 60, exp: past }) }],
  ["no end", { claims: (claims) => ({ ...claims, exp: undefined }) }],
  ["a beginning that is to come", { claims: (claims) => ({ ...claims, nbf: past + 7_200 }) }],
  ["no subject", { claims: (claims) => ({ ...claims, sub: undefined }) }],
  ["no signature (alg none)", { header: { alg: "none" } }],
  ["a signature of another algorithm's name", { header: { alg: "HS256" } }],
  ["another key", { key: foreign.privateKey }],
  ["a key that is not there", { header: { kid: "other" } }],
  ["claims that were changed afterwards", { token: (token) => swap(token, { roles: ["admin"], sub: "8" }) }],
  ["no ID token", { token: () => undefined }],
  ["something else than a token", { token: () => ({ sub: "7" }) }],
  ["an encrypted token", { token: (token) => `${token}.a.b` }],
])("a provider that sends a token with %s signs nobody in", async (_what, forgery) => {
  expect(await signInAt(forgery)).toBe("unauthorized");
});

test.each<[string, () => Response]>([
  ["is not reached", () => thrown(new AppError("connection_failed", "The server could not be reached."))],
  ["takes too long", () => thrown(new DOMException("The operation timed out", "TimeoutError"))],
  ["is out of order", () => new Response("<h1>Bad Gateway</h1>", { status: 502 })],
  ["says that it is out of order", () => Response.json({ error: "server_error" }, { status: 500 })],
])("a provider that %s has given no wrong answer", async (_what, fault) => {
  expect(await signInAt({ fault })).toBe("unavailable");
});

test("a provider that refuses the code signs nobody in", async () => {
  const fault = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  expect(await signInAt({ fault })).toBe("unauthorized");
});

test("a description of another issuer is not believed", async () => {
  expect(await signInAt({ metadata: { issuer: "https://evil.example" } })).toBe("unavailable");
});

test("somebody without a role is known and not let in", async () => {
  expect(await signInAt({ claims: (claims) => ({ ...claims, roles: [] }) })).toBe("forbidden");
});

describe("roles by claims", () => {
  const map = ["web admins=admin", "qa=reviewer"];
  test.each<[Json, Partial<ProviderSettings>, string | null]>([
    [{ roles: ["viewer", "operator"] }, {}, "operator"],
    [{ roles: "reviewer" }, {}, "reviewer"],
    [{ roles: ["Admin", "root", 7, null] }, {}, null],
    [{ roles: ["admin"] }, { roleMap: map }, null],
    [{ roles: ["qa", "web admins"] }, { roleMap: map }, "admin"],
    [{ groups: ["qa"] }, { roleMap: map, roleClaim: "groups" }, "reviewer"],
    [{ realm_access: { roles: ["admin"] } }, { roleClaim: "realm_access.roles" }, "admin"],
    [{ "https://x.org/roles": ["viewer"] }, { roleClaim: "https://x.org/roles" }, "viewer"],
    [{}, { defaultRole: "viewer" }, "viewer"],
    [{ roles: ["admin"] }, { defaultRole: "viewer" }, "admin"],
    [{ roles: ["__proto__", "constructor"] }, {}, null],
    [{}, { roleClaim: "constructor.name" }, null],
    [{}, { roleClaim: "__proto__.constructor" }, null],
  ])("%j with %j → %s", (claims, changed, expected) => {
    expect(roleOf(claims, { ...settings, ...changed })).toBe(expected);
  });
});

function thrown(error: Error): never {
  throw error;
}

/** Replaces claims of a token, and keeps its signature. */
function swap(token: string, claims: Json): string {
  const [head = "", body = "", signature = ""] = token.split(".");
  const known = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as Json;
  return [head, part({ ...known, ...claims }), signature].join(".");
}
