import { expect, test } from "@jest/globals";
import { refusalOf } from "./may.js";

test.each([
  ["viewer", "listTestObjects", null],
  ["viewer", "signIn", null],
  ["viewer", "crawl", "Needs the role Operator; yours is Viewer."],
  ["reviewer", "giveVerdict", null],
  ["operator", "createToken", "Needs the role Admin; yours is Operator."],
  ["admin", "createToken", null],
  // the role is not known yet
  [null, "createToken", null],
] as const)("a %s and %s: %s", (role, name, words) => {
  expect(refusalOf(role, name)).toBe(words);
});
