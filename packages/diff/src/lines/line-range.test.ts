import { describe, expect, test } from "@jest/globals";
import { countLines, sliceLines, splitLines } from "./line-range.js";

describe("lines", () => {
  test.each([
    ["", []],
    ["\n", [""]],
    ["a", ["a"]],
    ["a\n", ["a"]],
    ["a\n\n", ["a", ""]],
    ["a\r\nb\rc", ["a\r", "b\rc"]],
    ["a\u2028b", ["a\u2028b"]],
  ])("%j", (text, lines) => {
    expect(splitLines(text)).toEqual(lines);
    expect(countLines(text)).toBe(lines.length);
  });

  test("many short ones", () => expect(countLines("\n".repeat(100_000))).toBe(100_000));

  test.each([
    [1, 2, ["a", "b"]],
    [2, 2, ["b"]],
    [-5, 1, ["a"]],
    [3, 99, ["c"]],
    [4, 9, []],
    [3, 2, []],
  ])("from %d to %d", (from, to, lines) => expect(sliceLines("a\nb\nc", from, to)).toEqual(lines));

  test("numbers must be integers", () => expect(() => sliceLines("a", 1.5, 2)).toThrow(/integers/));

  test("tags: also between elements, newlines stay terminators", () => {
    expect(splitLines("<a><b>x</b></a>\n<i></i>", "tags")).toEqual(["<a>", "<b>x</b>", "</a>", "<i>", "</i>"]);
    expect(splitLines("a>\n<b", "tags")).toEqual(["a>", "<b"]);
    expect(splitLines("><><", "tags")).toEqual([">", "<>", "<"]);
  });
});
