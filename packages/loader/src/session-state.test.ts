import { expect, test } from "@jest/globals";
import { cookieHeader, isSignedOut, type SessionState } from "./session-state.js";

const cookie = (part: Partial<SessionState["cookies"][number]>): SessionState["cookies"][number] => ({
  ...{ name: "s", value: "1", domain: "site.test", path: "/", expires: -1 },
  ...{ httpOnly: true, secure: false, sameSite: "Lax" as const },
  ...part,
});
const state = (...cookies: SessionState["cookies"]): SessionState => ({
  loginUrl: "https://site.test/login?next=/",
  cookies,
  storage: [],
});

test.each<[string, Partial<SessionState["cookies"][number]>, string, string | null]>([
  ["its own host", {}, "http://site.test/a", "s=1"],
  ["another host", {}, "http://other.test/a", null],
  ["a subdomain, of a cookie of the host alone", {}, "http://www.site.test/", null],
  ["a subdomain, of a cookie of the domain", { domain: ".site.test" }, "http://www.site.test/", "s=1"],
  ["a host that ends alike", { domain: ".site.test" }, "http://evilsite.test/", null],
  ["a path below", { path: "/app" }, "http://site.test/app/x", "s=1"],
  ["a path that begins alike", { path: "/app" }, "http://site.test/apple", null],
  ["http, of a cookie for https", { secure: true }, "http://site.test/", null],
  ["https", { secure: true }, "https://site.test/", "s=1"],
  ["anywhere once it has expired", { expires: 1 }, "http://site.test/", null],
])("a cookie is sent to %s: %j %s", (_name, part, url, expected) => {
  expect(cookieHeader(state(cookie(part)), new URL(url))).toBe(expected);
});

test("cookies are sent together", () => {
  expect(cookieHeader(state(cookie({}), cookie({ name: "t", value: "2" })), new URL("http://site.test/"))).toBe(
    "s=1; t=2",
  );
});

test("who is led to the login page, or told to sign in, is signed out", () => {
  const asked = "https://site.test/shop";
  const led = (finalUrl: string, status = 200) => isSignedOut(state(), asked, { finalUrl, status });
  expect([led("https://site.test/login?next=%2Fshop"), led(asked, 401)]).toEqual([true, true]);
  expect([led(asked), led("https://site.test/login/help")]).toEqual([false, false]);
  expect(isSignedOut(state(), "https://site.test/login", { finalUrl: "https://site.test/login", status: 200 })).toBe(
    false,
  );
});
