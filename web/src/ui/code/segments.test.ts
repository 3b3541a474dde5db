import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { tokenizeLine } from "./html-tokens.js";
import { segmentsOf } from "./segments.js";

test("tokens and marks cut one another", () => {
  const text = '<a id="x1">';
  expect(segmentsOf(text, tokenizeLine(text).tokens, [[7, 9]])).toEqual([
    { text: "<a", kind: "tag", marked: false },
    { text: " ", kind: undefined, marked: false },
    { text: "id", kind: "attribute", marked: false },
    { text: "=", kind: undefined, marked: false },
    { text: '"', kind: "string", marked: false },
    { text: "x1", kind: "string", marked: true },
    { text: '"', kind: "string", marked: false },
    { text: ">", kind: "tag", marked: false },
  ]);
});

test("an empty line has no segments, a plain one has one", () => {
  expect(segmentsOf("", [])).toEqual([]);
  expect(segmentsOf("plain", [])).toEqual([{ text: "plain", kind: undefined, marked: false }]);
});

test("marks beyond the line and empty ones are ignored", () => {
  expect(
    segmentsOf(
      "abc",
      [],
      [
        [1, 1],
        [2, 99],
      ],
    ).map((segment) => [segment.text, segment.marked]),
  ).toEqual([
    ["ab", false],
    ["c", true],
  ]);
  expect(segmentsOf("abc", [], [[7, 9]]).map((segment) => segment.marked)).toEqual([false]);
});

test("together the segments are the line, and exactly the marked characters are marked", () => {
  const line = fc.array(fc.constantFrom("<", ">", "a", " ", "=", '"', "b")).map((parts) => parts.join(""));
  const marks = fc.uniqueArray(fc.nat(30), { maxLength: 8 }).map((points) => {
    const sorted = points.toSorted((a, b) => a - b);
    return sorted.flatMap((from, index): [number, number][] =>
      index % 2 === 0 && sorted[index + 1] !== undefined ? [[from, sorted[index + 1] ?? from]] : [],
    );
  });
  fc.assert(
    fc.property(line, marks, (text, ranges) => {
      const segments = segmentsOf(text, tokenizeLine(text).tokens, ranges);
      expect(segments.map((segment) => segment.text).join("")).toBe(text);
      const marked = segments.flatMap((segment) => [...segment.text].map(() => segment.marked));
      expect(marked).toEqual([...text].map((_, index) => ranges.some(([from, to]) => from <= index && index < to)));
    }),
  );
});
