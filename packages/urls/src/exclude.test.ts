import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createExcluder } from "./exclude.js";
import { wildcard } from "./wildcard.js";

function excluded(pattern: string, address: string): boolean {
  return createExcluder([pattern])(new URL(address, "https://site.test")) !== null;
}

describe("a pattern", () => {
  test.each([
    ["/private", "/private", true],
    ["/private", "/private/a", false],
    ["/private/*", "/private/a/b", true],
    ["/private/*", "/private/", true],
    ["/private/*", "/private", false],
    ["/private*", "/private", true],
    ["*/print", "/a/b/print", true],
    ["*.pdf", "/a.pdf", true],
    ["*.pdf", "/a.pdf?x", true],
    ["*.pdf", "/a.pdfx", false],
    ["/a*b*c", "/a1b2c", true],
    ["/a*b*c", "/acb", false],
    ["/a*a", "/a", false],
    ["/ab*bc", "/abc", false],
    ["*", "/anything", true],
    ["**", "/", true],
    ["admin/*", "/admin/x", true],
    ["admin", "/x/admin", false],
    ["/list?sort=*", "/list?sort=asc", true],
    ["/list?sort=*", "/list", false],
    ["/list?*", "/list?", false],
    ["/list", "/list?sort=asc", true],
    ["?print=1", "/a/b?print=1", true],
    ["*?*session=*", "/a?x=1&session=2", true],
    ["*?*session=*", "/session=2", false],
    ["/A", "/a", false],
    ["/käse", "/k%C3%A4se", true],
    ["/k%c3%a4se", "/käse", true],
    ["/a b", "/a%20b", true],
    ["/%61", "/a", true],
    ["/100%", "/100%", true],
    ["/{x}|'", "/{x}|'", true],
    ["*?q={x}|'", "/?q={x}|'", true],
    ["https://site.test/a*", "/abc", true],
    ["https://other.test/a*", "/abc", false],
    ["https://*/abc", "/abc?x", true],
    ["https://site.test/abc?x*", "/abc?x=1", true],
    ["/a.c", "/abc", false],
    ["/(a|b)+", "/(a|b)+", true],
    ["/😀*", "/😀x", true],
  ])("%j on %s: %s", (pattern, address, expected) => {
    expect(excluded(pattern, address)).toBe(expected);
  });
});

test("the first pattern that matches is named as it was written", () => {
  const exclude = createExcluder(["", "  ", " /a/* ", "/b/*", "*"]);
  expect(exclude(new URL("https://site.test/a/x"))).toBe("/a/*");
  expect(exclude(new URL("https://site.test/b/x"))).toBe("/b/*");
  expect(exclude(new URL("https://site.test/c"))).toBe("*");
  expect(createExcluder([])(new URL("https://site.test/c"))).toBeNull();
});

test("too many and too long patterns are refused in words", () => {
  expect(() => createExcluder(Array.from({ length: 101 }, () => "/a"))).toThrow(
    "There are 101 exclude patterns; at most 100 are allowed.",
  );
  expect(() => createExcluder(["x".repeat(257)])).toThrow("has 257 characters; at most 256 are allowed");
  expect(() => createExcluder([...Array.from({ length: 100 }, () => "/a"), " "])).not.toThrow();
  expect(() => createExcluder(["x".repeat(256)])).not.toThrow();
});

test("agrees with a regular expression", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "*"), { maxLength: 8 }).map((parts) => parts.join(""));
  const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 10 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(letters, text, (pattern, subject) => {
      expect(wildcard(pattern)(subject)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(subject));
    }),
    { numRuns: 3_000 },
  );
});

test("takes linear time on patterns made to backtrack", () => {
  const patterns = Array.from({ length: 100 }, (_, index) => `*${"a*".repeat(60)}${"a".repeat(100)}b${index}*`);
  const exclude = createExcluder(patterns);
  for (let index = 0; index < 50; index += 1)
    expect(exclude(new URL(`https://site.test/${"a".repeat(1_900)}`))).toBeNull();
  expect(wildcard(`*${"a".repeat(100)}b*`)("a".repeat(5_000_000))).toBe(false);
});
