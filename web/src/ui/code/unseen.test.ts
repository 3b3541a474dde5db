import { describe, expect, test } from "@jest/globals";
import { piecesOf } from "./unseen.js";

describe("piecesOf", () => {
  test.each([
    ["a carriage return", "<p>a</p>\r", [{ text: "<p>a</p>" }, { text: "\r", name: "CR" }]],
    ["a space that does not break", "\u00A0", [{ text: "\u00A0", name: "U+00A0" }]],
    ["a space without width", "a\u200Bb", [{ text: "a" }, { text: "\u200B", name: "U+200B" }, { text: "b" }]],
    ["a mark that turns the direction", "\u202Ex", [{ text: "\u202E", name: "U+202E" }, { text: "x" }]],
  ])("names %s", (_, text, pieces) => {
    expect(piecesOf(text)).toEqual(pieces);
  });

  test.each([
    ["nothing", ""],
    ["words, spaces and tabs", "a b\tc  "],
    ["spaces and tabs", " \t "],
    ["spaces that do not break, between words", "12\u00A0EUR"],
    ["letters and pictures that are joined", "می\u200Cخواهم 👩\u200D🚀"],
  ])("leaves %s whole", (_, text) => {
    expect(piecesOf(text)).toEqual([{ text }]);
  });
});
