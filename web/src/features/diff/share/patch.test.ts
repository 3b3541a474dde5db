import { expect, test } from "@jest/globals";
import { toPatch } from "./patch.js";

test("hunks become a patch", () => {
  const text = toPatch(
    {
      hunks: [
        {
          aStart: 2,
          aCount: 2,
          bStart: 2,
          bCount: 1,
          lines: [
            { kind: "context", text: "b" },
            { kind: "removed", text: "c" },
          ],
        },
        {
          aStart: 9,
          aCount: 0,
          bStart: 8,
          bCount: 2,
          lines: [
            { kind: "added", text: "x" },
            { kind: "added", text: "" },
          ],
        },
      ],
    },
    "a/page.html",
    "b/page.html",
  );
  expect(text).toBe("--- a/page.html\n+++ b/page.html\n@@ -2,2 +2 @@\n b\n-c\n@@ -8,0 +8,2 @@\n+x\n+\n");
});

test("no difference is a patch without hunks", () => expect(toPatch({ hunks: [] }, "a", "b")).toBe("--- a\n+++ b\n"));

test("a last line without a newline is told as one", () => {
  const lines = [
    { kind: "removed" as const, text: "x", noEol: true as const },
    { kind: "added" as const, text: "y" },
  ];
  expect(toPatch({ hunks: [{ aStart: 1, aCount: 1, bStart: 1, bCount: 1, lines }] }, "a", "b")).toBe(
    "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n",
  );
});
