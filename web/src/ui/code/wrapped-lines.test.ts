import { describe, expect, test } from "@jest/globals";
import { drawnChars } from "./windows.js";
import { wrappedLines } from "./wrapped-lines.js";

describe("wrappedLines", () => {
  test.each([
    ["", 1],
    ["ten chars.", 1],
    ["ten chars. more", 2],
    ["one two three four", 2],
    ["a wordthatislong b", 3],
    ["x".repeat(30), 3],
    ["x".repeat(31), 4],
    ["1234567890 x", 2],
    [" ".repeat(25), 3],
  ])("%p takes %p lines of 10 characters", (text, lines) => {
    expect(wrappedLines(text, 10)).toBe(lines);
  });

  test("a text that is too long to be drawn whole takes what is drawn of it, and a line that offers more", () => {
    const text = "word ".repeat(100_000);
    expect(wrappedLines(text, 50)).toBe(drawnChars / 50 + 1);
    expect(wrappedLines(text.slice(0, drawnChars), 50)).toBe(drawnChars / 50);
  });
});
