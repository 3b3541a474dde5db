import { describe, expect, test } from "@jest/globals";
import { firstLineOf, lineAddress, placeOfLine, readLine, writeLine } from "./linked-line.js";
import { buildRows } from "./row-model.js";

const diff = {
  by: "lines" as const,
  a: { lines: 100 },
  b: { lines: 101 },
  hunks: [
    {
      aStart: 49,
      aCount: 3,
      bStart: 49,
      bCount: 4,
      lines: [
        { kind: "context" as const, text: "before" },
        { kind: "removed" as const, text: "old" },
        { kind: "added" as const, text: "new" },
        { kind: "added" as const, text: "more" },
        { kind: "context" as const, text: "after" },
      ],
    },
  ],
};
const { rows, changes } = buildRows(diff, "unified");

test.each([
  ["b120", { side: "b", no: 120 }],
  ["a1", { side: "a", no: 1 }],
  ["b0", undefined],
  ["c3", undefined],
  ["b1234567890", undefined],
  ["b12<script>", undefined],
  [null, undefined],
])("%j in an address is the line %j", (text, line) => {
  expect(readLine(text)).toEqual(line);
  if (line !== undefined) expect(writeLine(line as { side: "a" | "b"; no: number })).toBe(text);
});

describe("where a line stands", () => {
  test("among the changed ones: the row of its side", () => {
    expect(placeOfLine(rows, { side: "a", no: 50 })).toEqual({ row: 2 });
    expect(placeOfLine(rows, { side: "b", no: 51 })).toEqual({ row: 4 });
  });

  test("among unchanged ones that are folded away: the lines around it, on both sides", () => {
    expect(placeOfLine(rows, { side: "b", no: 60 })).toEqual({
      part: { type: "gap", aFrom: 56, bFrom: 57, count: 7, place: "middle" },
    });
    expect(placeOfLine(rows, { side: "a", no: 1 })).toEqual({
      part: { type: "gap", aFrom: 1, bFrom: 1, count: 4, place: "middle" },
    });
  });

  test("once they are opened: its row", () => {
    const opened = new Map(Array.from({ length: 7 }, (_, index): [number, string] => [57 + index, "same"]));
    const place = placeOfLine(buildRows(diff, "unified", opened).rows, { side: "b", no: 60 });
    expect(place).toHaveProperty("row");
  });

  test("nowhere, where neither side has so many", () => {
    expect(placeOfLine(rows, { side: "b", no: 102 })).toBeUndefined();
  });
});

test("a change is linked to by its first new line, or where it has none by its first old one", () => {
  const [change] = changes;
  if (change === undefined) throw new Error("no change");
  expect(firstLineOf(rows, change)).toEqual({ side: "b", no: 50 });
  expect(firstLineOf(rows, { first: change.first, last: change.first })).toEqual({ side: "a", no: 50 });
});

test("the address of a line names snapshots and form, and keeps how it is shown", () => {
  const shown = { a: { id: "1" }, b: { id: "2" }, by: "words", as: "formatted" };
  const link = lineAddress(shown, new URLSearchParams("instance1=i&snapshot1=0&view=split&numbers=off&as=auto&q=x"));
  expect(link({ side: "b", no: 7 })).toBe("/diff?a=1&b=2&view=split&diffType=words&as=formatted&line=b7");
  expect(lineAddress({ ...shown, by: "lines" }, new URLSearchParams(), "https://x/a.css")({ side: "a", no: 1 })).toBe(
    "/diff?a=1&b=2&file=https%3A%2F%2Fx%2Fa.css&line=a1",
  );
});
