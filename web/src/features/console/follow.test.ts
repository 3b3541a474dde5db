import { expect, test } from "@jest/globals";
import { isAtBottom } from "./follow.js";

test.each([
  ["at the very bottom", 600, true],
  ["16 px above it", 584, true],
  ["17 px above it", 583, false],
  ["a fraction over 16 px", 583.5, false],
  ["at the top", 0, false],
  ["beyond it, as a bouncing phone says", 620, true],
])("%s", (_, scrollTop, follows) => {
  expect(isAtBottom({ scrollTop, clientHeight: 400, scrollHeight: 1_000 })).toBe(follows);
});

test("a view without anything to scroll follows", () => {
  expect(isAtBottom({ scrollTop: 0, clientHeight: 400, scrollHeight: 400 })).toBe(true);
});
