import { expect, test } from "@jest/globals";
import { api } from "@web-tester/contracts/api";
import { requestPath } from "./request.js";

test("parameters are encoded, so that no value can leave its place in the path", () => {
  expect(requestPath("/api/x/{id}/y", { id: "../a b?c#d" }, {})).toBe("/api/x/..%2Fa%20b%3Fc%23d/y");
});

test("a query leaves out what is not set", () => {
  expect(requestPath("/api/x", {}, { q: "a&b", limit: 20, status: undefined, empty: "", zero: 0 })).toBe(
    "/api/x?q=a%26b&limit=20&zero=0",
  );
});

test("a missing parameter is named", () => expect(() => requestPath("/api/x/{id}", {}, {})).toThrow('needs "id"'));

test("every address of the endpoint table can be filled", () => {
  for (const { path } of Object.values(api)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name ?? "", "1"]);
    expect(requestPath(path, Object.fromEntries(named), {})).not.toMatch(/[{}]/);
  }
});
