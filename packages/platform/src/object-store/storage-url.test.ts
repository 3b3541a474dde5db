import { resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { AppError } from "@web-tester/contracts/errors";
import { parseStorageUrl } from "./storage-url.js";

describe("folders", () => {
  test.each([
    ["file:/var/objects", "/var/objects", false],
    ["file:///var/objects", "/var/objects", false],
    ["file://localhost/var/objects", "/var/objects", false],
    ["file:/var/my%20objects/", "/var/my objects", false],
    ["file:/var/objects?fsync=true", "/var/objects", true],
    ["file:/var/objects?fsync=false", "/var/objects", false],
    ["file:./data/objects", resolve("data/objects"), false],
    ["file:data", resolve("data"), false],
  ])("reads %s", (text, path, fsync) => {
    expect(parseStorageUrl(text)).toEqual({ kind: "folder", path, fsync });
  });
});

describe("buckets", () => {
  test.each([
    ["s3://objects", { bucket: "objects", prefix: "", forcePathStyle: false }],
    ["s3://objects/", { bucket: "objects", prefix: "", forcePathStyle: false }],
    ["s3://objects/a/b/", { bucket: "objects", prefix: "a/b", forcePathStyle: false }],
    [
      "s3://objects?region=eu-central-1",
      { bucket: "objects", prefix: "", region: "eu-central-1", forcePathStyle: false },
    ],
    [
      "s3://objects?endpoint=http://s3:9000",
      { bucket: "objects", prefix: "", endpoint: "http://s3:9000", forcePathStyle: true },
    ],
    [
      "s3://objects?endpoint=https%3A%2F%2Fs3.example%2F",
      { bucket: "objects", prefix: "", endpoint: "https://s3.example/", forcePathStyle: true },
    ],
    [
      "s3://objects/p?endpoint=http://s3:9000&forcePathStyle=false&region=x",
      { bucket: "objects", prefix: "p", endpoint: "http://s3:9000", region: "x", forcePathStyle: false },
    ],
  ])("reads %s", (text, location) => {
    expect(parseStorageUrl(text)).toEqual({ kind: "bucket", ...location });
  });
});

test.each([
  ["", "neither file: nor s3://"],
  ["/var/objects", "neither file: nor s3://"],
  ["http://bucket", "neither file: nor s3://"],
  ["file:", "names no folder"],
  ["file://server/share", "names no folder"],
  ["file:/a%00b", "NUL"],
  ["file:/a%zz", "%20"],
  ["file:/a?sync=true", "other than fsync"],
  ["file:/a?fsync=yes", "neither true nor false"],
  ["file:/a?fsync=true&fsync=false", "twice"],
  ["s3://", "bucket name"],
  ["s3://Upper", "bucket name"],
  ["s3://a/b", "bucket name"],
  ["s3://key:secret-value@objects", "AWS_ACCESS_KEY_ID"],
  ["s3://objects/../other", "prefix"],
  ["s3://objects/a//b", "prefix"],
  ["s3://objects/%2e%2e/other", "prefix"],
  ["s3://objects?endpoint=s3.example", "endpoint"],
  ["s3://objects?endpoint=https://key:secret-value@s3.example", "endpoint"],
  ["s3://objects?endpoint=https://s3.example/path", "endpoint"],
  ["s3://objects?endpoint=https://s3:99999", "endpoint"],
  ["s3://objects?region=a b", "region"],
  ["s3://objects?accessKey=secret-value", "other than endpoint"],
])("refuses %j and says why", (text, words) => {
  expect(() => parseStorageUrl(text)).toThrow(
    expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(words) }),
  );
  expect(() => parseStorageUrl(text)).not.toThrow(/secret-value/);
});

test("either reads a text or refuses it in words, whatever it is", () => {
  fc.assert(
    fc.property(fc.constantFrom("", "file:", "s3://", "s3://abc/", "s3://abc?"), fc.string(), (start, rest) => {
      try {
        const location = parseStorageUrl(start + rest);
        if (location.kind === "bucket") expect(location.prefix.split("/")).not.toContain("..");
        else expect(location.path.startsWith("/")).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
      }
    }),
  );
});
