import { expect, test } from "@jest/globals";
import { keepsLine, lineOf } from "./keeps-line.js";

const page = "<ul>\n<li>a</li>\n</ul>\n<ul>\n<li>b</li>\n</ul>\n";

test.each([
  ["a line that is there once", page, page.replace("a", "c"), 5, true],
  ["a line that is not there", page, page.replace("b", "c"), 5, false],
  ["a part of a line is no line", "x\ny\n", "xx\nyx\n", 1, false],
  ["a line that moved", "a\nb\nc\n", "b\nc\na\n", 1, true],
  ["one of several equal lines, which stays", page, "<ul>\n<li>a</li>\n</ul>\n", 1, true],
  ["one of several equal lines, which goes", page, "<ul>\n<li>a</li>\n</ul>\n", 6, false],
  ["the last line without an end", "a\nb", "b\n", 2, true],
  ["an empty line, which stays", "a\n\nb\n", "\na\n", 2, true],
  ["an empty line, which goes", "a\n\nb\n", "a\nb\n", 2, false],
  ["no such line", "a\nb", "b\n", 3, false],
])("%s", (_what, version, other, line, kept) => {
  expect(keepsLine(version, other, line)).toBe(kept);
});

test("lines by their number", () => {
  expect([1, 2, 3].map((line) => lineOf("a\n\n", line))).toEqual(["a", "", null]);
});
