import { expect, test } from "@jest/globals";
import { splitLines } from "@web-tester/diff/lines/line-range";
import { matchLines } from "./match-lines.js";

const all = { limit: 10, offset: 0 };

test.each([
  ["a\nb\nfound", 3],
  ["a\r\nb\r\nfound", 3],
  ["a\rb\rfound", 1],
  ["a\rb\nfound\rc", 2],
  ["a\r\r\nb\r\r\nfound\r\r\n", 3],
  ["\n\r\r\n\rfound", 3],
])("a match in %j stands on line %d, as in a comparison", (text, line) => {
  const { items } = matchLines(text, "FOUND", all);
  expect(items.map((item) => item.line)).toEqual([line]);
  expect(splitLines(text)[line - 1]).toContain("found");
  const [item] = items;
  expect(item?.ranges.map(([start, end]) => item.text.slice(start, end))).toEqual(["found"]);
});

test.each(["one\ntwo", "one\r\ntwo", "one\rtwo"])(
  "a phrase over two lines is found in %j, whatever ends them",
  (text) => {
    for (const phrase of ["one\ntwo", "one\r\ntwo"])
      expect(matchLines(text, phrase, all)).toMatchObject({ matches: 1, items: [{ line: 1 }] });
  },
);
