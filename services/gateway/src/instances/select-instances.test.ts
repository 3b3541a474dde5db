import { expect, test } from "@jest/globals";
import { escapeLike } from "./select-instances.sql.js";

test.each([
  ["plain", "plain"],
  ["100%", "100\\%"],
  ["a_b", "a\\_b"],
  ["\\%", "\\\\\\%"],
])("%s → %s", (text, expected) => {
  expect(escapeLike(text)).toBe(expected);
});
