import { expect, test } from "@jest/globals";
import type { DiffHunks, DiffLine } from "@web-tester/contracts/entities/compare";
import { diffDocument } from "./diff-document.js";
import { pictureRows } from "./diff-picture.js";
import { type FlatRow, flatRows } from "./flat-rows.js";

const side = { id: "s", number: 1, created_at: "2026-01-01T00:00:00.000Z", lines: 1 };
function diffOf(...lines: DiffLine[]): DiffHunks {
  const hunks = [{ aStart: 1, aCount: 1, bStart: 1, bCount: 1, lines }];
  const instance = { id: "i", url: "http://site.test/" };
  return { by: "lines", a: side, b: side, hunks, instance, changes: 1, added: 1, removed: 1 } as unknown as DiffHunks;
}
const ended = diffOf({ kind: "removed", text: "x", noEol: true }, { kind: "added", text: "x" });

test("a difference that is taken away says where the newline at the end is missing", () => {
  expect(flatRows(ended).map((row) => row.kind !== "gap" && row.end)).toEqual(["no newline at the end", ""]);
  const html = diffDocument(ended, "Title", "http://here.test/");
  expect(html.match(/<td class="t">x<i>no newline at the end<\/i><\/td>/g)).toHaveLength(1);
  const other = diffOf({ kind: "removed", text: "x" }, { kind: "added", text: "y" });
  expect(diffDocument(other, "Title", "http://here.test/")).not.toContain("newline at the end");
});

test.each([
  [30, "", [[0, 30, ""]]],
  [28, "0123456789", [[0, 28, "0123456789"]]],
  [
    35,
    "0123456789",
    [
      [0, 35, ""],
      [35, 35, "0123456789"],
    ],
  ],
  [
    60,
    "0123456789",
    [
      [0, 40, ""],
      [40, 60, "0123456789"],
    ],
  ],
  [
    80,
    "0123456789",
    [
      [0, 40, ""],
      [40, 80, ""],
      [80, 80, "0123456789"],
    ],
  ],
])("in a picture of 40 characters, a line of %d with %j behind it is broken", (length, end, parts) => {
  const row: FlatRow = {
    kind: "removed",
    a: 1,
    b: undefined,
    text: "x".repeat(length),
    marks: [],
    ignored: false,
    end,
  };
  const { shown } = pictureRows([row], 40, 100);
  expect(shown.map((part) => [part.from, part.to, part.end])).toEqual(parts);
});
