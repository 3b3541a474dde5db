import { expect, test } from "@jest/globals";
import { stepFor } from "./pace.mjs";

const range = { least: 2, most: 4 };

test("one more may run while processors have nothing to do, and one less while all are busy", () => {
  expect(stepFor(2, 0.5, range)).toBe(1);
  expect(stepFor(3, 0.08, range)).toBe(0);
  expect(stepFor(3, 0, range)).toBe(-1);
});

test("within the range", () => {
  expect(stepFor(4, 1, range)).toBe(0);
  expect(stepFor(2, 0, range)).toBe(0);
});

test("a look that saw no time pass changes nothing", () => {
  expect(stepFor(3, Number.NaN, range)).toBe(0);
});
