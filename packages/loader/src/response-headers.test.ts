import { describe, expect, test } from "@jest/globals";
import { readContentType } from "./content-type.js";
import { contentLength, joinedHeader, lastHeader, recordHeaders } from "./response-headers.js";

test("headers that come several times keep all values, in order, whatever their spelling or name", () => {
  const record = recordHeaders([
    ["Set-Cookie", "a=1"],
    ["X", ""],
    ["set-cookie", "b=2"],
    ["__proto__", "p"],
    ["constructor", "c"],
    ["SET-COOKIE", "c=3"],
  ]);
  expect(Object.entries(record)).toEqual([
    ["set-cookie", ["a=1", "b=2", "c=3"]],
    ["x", ""],
    ["__proto__", "p"],
    ["constructor", "c"],
  ]);
  expect([
    joinedHeader(record, "set-cookie"),
    lastHeader(record, "set-cookie"),
    lastHeader(record, "x"),
    lastHeader(record, "toString"),
  ]).toEqual(["a=1, b=2, c=3", "c=3", "", null]);
  expect(JSON.parse(JSON.stringify(record))).toEqual(record);
});

test.each([
  ["12", 12],
  ["", Number.NaN],
  ["-1", Number.NaN],
  ["1e3", Number.NaN],
  ["0", 0],
])("the length %j is %p", (value, expected) => {
  expect(contentLength(recordHeaders([["Content-Length", value]]))).toBe(expected);
});

describe("content type", () => {
  test.each([
    ["text/html", "html"],
    ["TEXT/HTML; charset=x", "html"],
    [" text/html ;", "html"],
    ["application/xhtml+xml", "html"],
    ["text/html,text/html", "html"],
    ["text/plain", "other"],
    ["application/pdf", "other"],
    ["image/svg+xml", "other"],
    ["application/xml", "other"],
    ["text/htmlx", "other"],
    ["", "unknown"],
    ["html", "unknown"],
    ["*/*", "unknown"],
    ["unknown/unknown", "unknown"],
    ["text/", "unknown"],
    ["text html", "unknown"],
    [";charset=utf-8", "unknown"],
  ])("%j says %s", (value, kind) => {
    expect(readContentType(recordHeaders([["Content-Type", value]]))).toEqual({ contentType: value, kind });
  });

  test("missing says nothing; of several the last counts", () => {
    expect(readContentType({})).toEqual({ contentType: null, kind: "unknown" });
    expect(readContentType({ "content-type": ["text/html", "image/png"] })).toEqual({
      contentType: "image/png",
      kind: "other",
    });
  });
});
