import { describe, expect, test } from "@jest/globals";
import { type AccessPolicy, isLoopback, requireSite, requireSocketSite } from "./access.js";

const open: AccessPolicy = {
  ...{ token: null, tokenHeader: "x-api-token", host: "127.0.0.1" },
  ...{ hasProvider: false, signingKey: Buffer.alloc(32), cookies: { plain: "a", overTls: "b" } },
};
const guarded: AccessPolicy = { ...open, token: "s3cret", host: "0.0.0.0" };
const host = "localhost:8080";

/** Returns the code of the refusal, or null where there was none. */
function refusal(run: () => void): unknown {
  try {
    run();
    return null;
  } catch (error) {
    return typeof error === "object" && error !== null && "code" in error ? error.code : error;
  }
}

describe("Host, on loopback without a token", () => {
  test.each([
    ["localhost", null],
    ["LOCALHOST:8080", null],
    ["127.0.0.1:8080", null],
    ["[::1]:8080", null],
    ["evil.example:8080", "forbidden_origin"],
    ["localhost.evil.example", "forbidden_origin"],
    ["127.0.0.1.evil.example", "forbidden_origin"],
    ["evil.example/@localhost", "forbidden_origin"],
    ["localhost@evil.example", "forbidden_origin"],
    ["", "forbidden_origin"],
    [undefined, "forbidden_origin"],
  ])("%s → %s", (name, expected) => {
    expect(refusal(() => requireSite(open, { method: "GET", headers: { host: name } }))).toBe(expected);
  });

  test("any name is served where a token is set, or where HOST says so", () => {
    expect(
      refusal(() =>
        requireSite(guarded, { method: "GET", headers: { host: "monitor.example", "x-api-token": "s3cret" } }),
      ),
    ).toBeNull();
    expect(
      refusal(() => requireSite({ ...open, host: "0.0.0.0" }, { method: "GET", headers: { host: "monitor.example" } })),
    ).toBeNull();
    expect(
      refusal(() => requireSite({ ...open, host: "127.0.0.2" }, { method: "GET", headers: { host: "127.0.0.2:80" } })),
    ).toBeNull();
  });
});

describe("Host, on every address without a token, with names of its own", () => {
  const named: AccessPolicy = { ...open, host: "0.0.0.0", names: ["localhost", "monitor.example"] };
  test.each([
    ["localhost:8080", null],
    ["Monitor.Example", null],
    ["evil.example", "forbidden_origin"],
    ["127.0.0.1", "forbidden_origin"],
    [undefined, "forbidden_origin"],
  ])("%s → %s", (name, expected) => {
    const request = { method: "GET", headers: { host: name } };
    expect(refusal(() => requireSite(named, request))).toBe(expected);
    expect(refusal(() => requireSite({ ...named, names: [] }, request))).toBeNull();
  });

  test("a token opens every name", () => {
    const request = { method: "GET", headers: { host: "evil.example", "x-api-token": "s3cret" } };
    expect(refusal(() => requireSite({ ...named, token: "s3cret" }, request))).toBeNull();
  });
});

describe("Origin", () => {
  test.each([
    ["GET", "http://evil.example", null],
    ["POST", undefined, null],
    ["POST", "http://localhost:8080", null],
    ["POST", "http://evil.example", "forbidden_origin"],
    ["POST", "http://localhost:9999", "forbidden_origin"],
    ["POST", "http://localhost", "forbidden_origin"],
    ["POST", "null", "forbidden_origin"],
    ["POST", "", "forbidden_origin"],
    ["DELETE", "http://localhost:8080.evil.example", "forbidden_origin"],
    ["PATCH", "file://", "forbidden_origin"],
  ])("%s from %s → %s", (method, origin, expected) => {
    expect(refusal(() => requireSite(open, { method, headers: { host, origin } }))).toBe(expected);
  });

  test("a default port need not be written", () => {
    expect(
      refusal(() =>
        requireSite(guarded, {
          method: "POST",
          headers: { host: "monitor.example", origin: "https://monitor.example", "x-api-token": "s3cret" },
        }),
      ),
    ).toBeNull();
    expect(
      refusal(() =>
        requireSite(guarded, {
          method: "POST",
          headers: { host: "monitor.example:443", origin: "https://monitor.example", "x-api-token": "s3cret" },
        }),
      ),
    ).toBeNull();
  });

  test("sockets are writes", () => {
    expect(refusal(() => requireSocketSite(open, { host, origin: "http://evil.example" }))).toBe("forbidden_origin");
    expect(refusal(() => requireSocketSite(open, { host, origin: "http://localhost:8080" }))).toBeNull();
    expect(refusal(() => requireSocketSite(open, { host }))).toBeNull();
  });
});

test.each([
  ["127.0.0.1", true],
  ["127.8.8.8", true],
  ["localhost", true],
  ["::1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["10.0.0.1", false],
  ["127.evil.example", false],
])("%s is loopback: %s", (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
