import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { compare } from "../compare.js";
import { applyPatch, formatPatch, parsePatch } from "./patch.js";
import { rebuildB } from "./rebuild.js";

const names = { a: "a/page.html", b: "b/page.html" };
const line = fc.constantFrom(
  "",
  "a",
  "b",
  "<p>",
  "\r",
  "x\r",
  "--- a",
  "+++ b",
  "@@ -1 +1 @@",
  "\\ No newline at end of file",
  "diff --git a b",
  "\0",
  "\ud800",
  "é",
);
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, end]) => lines.join("\n") + (end && lines.length > 0 ? "\n" : ""));

test("applying the patch gives the other text byte for byte", () => {
  fc.assert(
    fc.property(text, text, fc.nat({ max: 4 }), (a, b, context) => {
      const comparison = compare(a, b, { by: "lines", context });
      const patch = formatPatch(comparison, names);
      expect(applyPatch(a, patch)).toBe(b);
      const hunks = parsePatch(patch);
      expect(hunks.map(({ aStart, aCount, bStart, bCount }) => [aStart, aCount, bStart, bCount])).toEqual(
        comparison.hunks.map(({ aStart, aCount, bStart, bCount }) => [aStart, aCount, bStart, bCount]),
      );
      expect(rebuildB(a, { ...comparison, hunks })).toBe(b);
    }),
  );
});

test("looks like git's", () => {
  expect(formatPatch(compare("a\nb\nc", "a\nx\nc\n", { by: "lines" }), names)).toBe(
    [
      "--- a/page.html",
      "+++ b/page.html",
      "@@ -1,3 +1,3 @@",
      " a",
      "-b",
      "-c",
      "\\ No newline at end of file",
      "+x",
      "+c",
      "",
    ].join("\n"),
  );
  expect(formatPatch(compare("same", "same", { by: "lines" }), names)).toBe("");
  expect(formatPatch(compare("", "new\n", { by: "words" }), names)).toContain("@@ -0,0 +1,1 @@\n+new\n");
});

describe("refuses with words", () => {
  const good = formatPatch(compare("a\nb\n", "a\nc\n", { by: "lines" }), names);

  test.each([
    ["no patch", () => applyPatch("a", "hello"), /not a unified patch/],
    ["a damaged patch", () => applyPatch("a\nb\n", good.replace("-1,2", "-1,9")), /not a unified patch/],
    ["several files", () => applyPatch("a\nb\n", `${good}${good}`), /2 files/],
    ["another text", () => applyPatch("x\ny\n", good), /does not fit/],
    [
      "lines broken at tags",
      () => formatPatch(compare("<a><b>", "<a><c>", { by: "lines", breaks: "tags" }), names),
      /newlines/,
    ],
    [
      "left-out hunks",
      () => formatPatch(compare("a", "b", { by: "lines", limits: { maxHunkLines: 0 } }), names),
      /higher limit/,
    ],
  ])("%s", (_, attempt, message) => {
    expect(attempt).toThrow(message);
    expect(applyPatch("a\nb\n", good)).toBe("a\nc\n");
  });
});
