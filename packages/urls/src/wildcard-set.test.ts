import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { wildcard } from "./wildcard.js";
import { wildcardSet } from "./wildcard-set.js";

const firstOf = (patterns: readonly string[], text: string) => patterns.findIndex((pattern) => wildcard(pattern)(text));

describe("the first of many patterns", () => {
  test.each<[string[], string, number]>([
    [[], "/a", -1],
    [["/b", "/a", "/a"], "/a", 1],
    [["/ab*", "/a*", "/abc*"], "/abcd", 0],
    [["/abc*", "/a*"], "/abd", 1],
    [["/abc*", "/a*", "/b*"], "/", -1],
    [["*"], "", 0],
    [["/a*b*c", "/a*c"], "/a1c", 1],
    [["*ab*ba*"], "aba", -1],
    [["*ab*ba*"], "abba", 0],
    [["*a*a", "*a*"], "a", 1],
    [["*.pdf", "*.p*f"], "/x.pdf", 0],
    [["/*x*y", "/*x*"], "/x", 1],
  ])("of %j matching %j is %i", (patterns, text, expected) => {
    expect(wildcardSet(patterns)(text)).toBe(expected);
  });

  test("is the one that is found by asking each", () => {
    const pattern = fc.array(fc.constantFrom("a", "b", "ab", "*"), { maxLength: 7 }).map((parts) => parts.join(""));
    const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 10 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 8 }), fc.array(text, { maxLength: 4 }), (patterns, texts) => {
        const find = wildcardSet(patterns);
        for (const subject of texts) expect(find(subject)).toBe(firstOf(patterns, subject));
      }),
      { numRuns: 5_000 },
    );
  });
});
