import { expect, test } from "@jest/globals";
import { authHeaders, authProtocols, faultsOf, noApiAuth, parseApiAuth } from "./api-auth.js";

const bearer = { ...noApiAuth, enabled: true, token: "s3cret" };
const header = { ...noApiAuth, enabled: true, mode: "header" as const, headerName: "X-Key", headerValue: "v?>~" };

test("a request carries the token, or the header of one's own, and nothing while it is off", () => {
  expect(authHeaders(bearer)).toEqual({ Authorization: "Bearer s3cret" });
  expect(authHeaders(header)).toEqual({ "X-Key": "v?>~" });
  expect(authHeaders({ ...bearer, enabled: false })).toEqual({});
  expect(authHeaders({ ...bearer, token: " " })).toEqual({});
  expect(authHeaders({ ...header, headerName: "" })).toEqual({});
});

test("a websocket carries the secret of either kind as a subprotocol", () => {
  expect(authProtocols(noApiAuth)).toEqual([]);
  const [name, token] = authProtocols(header);
  expect(name).toBe("web-tester");
  expect(Buffer.from((token ?? "").replace("token.", ""), "base64url").toString()).toBe("v?>~");
  expect(token).toMatch(/^token\.[\w-]+$/);
});

test.each([
  ["nothing", null],
  ["no JSON", "{"],
  ["a list", "[]"],
])("%s is no setting", (_, text) => expect(parseApiAuth(text)).toEqual({ ...noApiAuth }));

test("a part of another type falls back, the rest stays", () =>
  expect(parseApiAuth('{"enabled":true,"mode":"x","token":"t","headerName":4}')).toEqual({ ...bearer, token: "t" }));

test("faults are named by field, and only where they matter", () => {
  expect(faultsOf(bearer)).toEqual({});
  expect(faultsOf({ ...bearer, token: "two words" })).toHaveProperty("token");
  expect(faultsOf({ ...header, headerName: "a b" })).toHaveProperty("headerName");
  expect(faultsOf({ ...header, headerValue: "" })).toHaveProperty("headerValue");
  expect(faultsOf({ ...noApiAuth, mode: "header" })).toEqual({});
});
