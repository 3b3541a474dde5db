import { expect, test } from "@jest/globals";
import { LineStates, linesOf } from "./line-states.js";

test("each line knows what the lines before it left open, whichever is asked first", () => {
  const lines = ["<!-- a", "b", "--> <p", "class='x'>", "text"];
  const states = new LineStates(lines);
  expect(states.at(4)).toBe("text");
  expect([0, 1, 2, 3].map((index) => states.at(index))).toEqual(["text", "comment", "comment", "tag"]);
});

test.each([
  ["", []],
  ["a", ["a"]],
  ["a\nb\n", ["a", "b"]],
  ["a\r\nb\rc", ["a", "b\rc"]],
  ["a\r\r\nb", ["a\r", "b"]],
  ["\n\n", ["", ""]],
])("%j has the lines %j", (text, lines) => expect(linesOf(text)).toEqual(lines));
