import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { client, type IdentityProvider, startIdentityProvider, Walker } from "../support/identity-provider.js";
import { gatewayOnly, startProduct, type Product } from "../support/product.js";

/** People sign in at a real OpenID Connect provider and get the name and role that its claims give. */
let provider: IdentityProvider;
let product: Product;

beforeAll(async () => {
  provider = await startIdentityProvider();
  product = await startProduct({
    ...gatewayOnly,
    ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret },
    ...{ OIDC_ROLE_CLAIM: "groups", OIDC_ROLES: "qa=reviewer,boss=admin", OIDC_NAME: "Test Login" },
  });
  provider.serve(`${product.address}/auth/callback`);
});
afterAll(async () => {
  await product.stop();
  await provider.stop();
});

const at = (path: string) => new URL(path, product.address);
const isCallback = (url: URL) => url.href.startsWith(at("/auth/callback").href);
const session = async (walker: Walker) => (await walker.ask(at("/api/session"))).json();

test("without signing in nothing opens, and the screens know where one can", async () => {
  const walker = new Walker();
  expect((await walker.ask(at("/api/testobjects"))).status).toBe(401);
  expect(await session(walker)).toEqual({ open: false, actor: null, provider: "Test Login" });
});

test("who signs in has the role of their group, and their name stands at what they did", async () => {
  const walker = new Walker();
  const begin = at("/auth/sign-in?return=/objects/7%3Ftab%3D1");
  const back = await walker.walk(begin, "boss-1", isCallback);
  const answer = await walker.ask(back);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/objects/7?tab=1"]);
  expect(answer.headers.getSetCookie().join()).toMatch(
    /web-tester-\w+=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict/,
  );
  expect(await session(walker)).toMatchObject({
    actor: { kind: "person", name: "Person boss-1", role: "admin", signed_in: true },
  });
  const headers = {
    cookie: walker.cookies(product.address),
    origin: product.address,
    "content-type": "application/json",
  };
  const body = JSON.stringify({ name: "CI", role: "viewer" });
  expect((await fetch(at("/api/tokens"), { method: "POST", headers, body })).status).toBe(200);
  const audit = await (await walker.ask(at("/api/audit?action=createToken"))).json();
  expect(audit).toMatchObject({
    items: [{ actor: "Person boss-1", actor_kind: "person", outcome: "done", fields: ["name", "role"] }],
  });
});

test("a lower role gets less", async () => {
  const walker = new Walker();
  await walker.ask(await walker.walk(at("/auth/sign-in"), "qa-1", isCallback));
  expect(await session(walker)).toMatchObject({ actor: { role: "reviewer" } });
  expect((await walker.ask(at("/api/testobjects"))).status).toBe(200);
  expect((await walker.ask(at("/api/audit"))).status).toBe(403);
});

test("who is in no group that has a role here is not let in, and reads so", async () => {
  const walker = new Walker();
  const answer = await walker.ask(await walker.walk(at("/auth/sign-in"), "guest-1", isCallback));
  expect(answer.headers.get("location")).toBe("/sign-in?failed=forbidden");
  expect(await session(walker)).toMatchObject({ actor: null });
});

test.each([
  ["in another browser", (url: URL) => url, () => new Walker()],
  ["with another state", (url: URL) => change(url, "state", "other"), null],
  ["without a state", (url: URL) => change(url, "state", null), null],
  ["with another code", (url: URL) => change(url, "code", "other"), null],
  ["from another issuer", (url: URL) => change(url, "iss", "http://127.0.0.1:9"), null],
  ["without the issuer", (url: URL) => change(url, "iss", null), null],
])("a way back that ends %s signs nobody in", async (_what, forge, other) => {
  const walker = new Walker();
  const back = await walker.walk(at("/auth/sign-in"), "boss-2", isCallback);
  const who = other?.() ?? walker;
  const answer = await who.ask(forge(new URL(back)));
  expect(answer.headers.get("location")).toBe("/sign-in?failed=unauthorized");
  expect(await session(who)).toMatchObject({ actor: null });
});

test("a way back opens once", async () => {
  const walker = new Walker();
  const back = await walker.walk(at("/auth/sign-in"), "boss-3", isCallback);
  expect((await walker.ask(back)).headers.get("location")).toBe("/");
  expect((await new Walker().ask(back)).headers.get("location")).toBe("/sign-in?failed=unauthorized");
  expect((await walker.ask(back)).headers.get("location")).toBe("/sign-in?failed=unauthorized");
});

test.each([
  "//evil.example/",
  "/\\evil.example",
  "https://evil.example/",
  "/api/export",
  "/auth/sign-in",
  "javascript:alert(1)",
])("it never leads on to %s", async (target) => {
  const walker = new Walker();
  const back = await walker.walk(at(`/auth/sign-in?return=${encodeURIComponent(target)}`), "qa-2", isCallback);
  expect((await walker.ask(back)).headers.get("location")).toBe("/");
});

test("signing out ends it at once", async () => {
  const walker = new Walker();
  await walker.ask(await walker.walk(at("/auth/sign-in"), "qa-3", isCallback));
  const cookie = walker.cookies(product.address);
  const out = await fetch(at("/api/session"), { method: "DELETE", headers: { cookie, origin: product.address } });
  expect(out.headers.getSetCookie().join()).toMatch(/Max-Age=0/);
  expect((await fetch(at("/api/testobjects"), { headers: { cookie } })).status).toBe(401);
});

test("signing out everywhere ends the person's other sign-ins too, and nobody else's", async () => {
  const signIn = async (who: string) => {
    const walker = new Walker();
    await walker.ask(await walker.walk(at("/auth/sign-in"), who, isCallback));
    return walker.cookies(product.address);
  };
  const [here, there, other] = [await signIn("qa-4"), await signIn("qa-4"), await signIn("qa-5")];
  const statusOf = async (cookie: string) => (await fetch(at("/api/testobjects"), { headers: { cookie } })).status;
  const signOut = (cookie: string, path: string) =>
    fetch(at(path), { method: "DELETE", headers: { cookie, origin: product.address } });
  // signing out as always leaves the others
  const third = await signIn("qa-4");
  await signOut(third, "/api/session");
  expect(await Promise.all([here, there, third, other].map(statusOf))).toEqual([200, 200, 401, 200]);
  expect((await signOut(here, "/api/session?everywhere=true")).status).toBe(200);
  expect(await Promise.all([here, there, other].map(statusOf))).toEqual([401, 401, 200]);
  // a page of another site cannot do it
  const forged = { cookie: other, origin: "http://evil.example" };
  await fetch(at("/api/session?everywhere=true"), { method: "DELETE", headers: forged });
  expect(await statusOf(other)).toBe(200);
});

function change(url: URL, name: string, value: string | null): URL {
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  return url;
}
