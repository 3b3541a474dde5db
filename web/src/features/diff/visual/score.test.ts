import { expect, test } from "@jest/globals";
import { differingShare } from "./score.js";

test.each([
  [0, 100, "0.0 %"],
  [1, 1_000_000, "Less than 0.1 %"],
  [38, 1000, "3.8 %"],
  [999_999, 1_000_000, "More than 99.9 %"],
  [5, 5, "100.0 %"],
  [0, 0, "0.0 %"],
])("%i of %i pixels", (differing, pixels, words) => {
  expect(differingShare({ differing, pixels })).toBe(words);
});
