import { expect, test } from "@jest/globals";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { compileRule } from "../rules/compile-rule.js";
import { isHeld } from "./bound-rules.js";
import { learnRules, shareMax } from "./learn-rules.js";
import { dice, prose } from "./test-pages.js";

/** A number that stays the same on each page is no noise, even in the middle of words and numbers that are. */
const seeds = Array.from({ length: 12 }, (_, index) => index + 1);
const pages = Array.from({ length: 8 }, (_, index) => index);

/** Learns from two visits of each page. @returns whether what needs no person hides the difference of two pages */
function learnt(around: (page: number, roll: (sides: number) => number) => string, seed: number) {
  const roll = dice(seed);
  const page = (number: number) => `<html><body>${around(number, roll)}\n${prose(number)}</body></html>`;
  const rules = learnRules(
    pages.map((number) => ({ path: `/${number}`, older: page(number), newer: page(number) })),
    () => [],
  )
    .filter(({ spec, evidence }) => isHeld(spec) && evidence.share <= shareMax)
    .map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  const isHidden = (one: string, other: string) =>
    assess(new LeftPage(one, rules), new LeftPage(other, rules)).changes === 0;
  return { page, isHidden };
}

const days = ["Mon", "Tue", "Wed"];

test.each([
  [
    "stock before what was sold",
    (left: number, sold: number, day: string) => `Only ${left} left. ${sold} sold today. Delivery ${day}.`,
  ],
  [
    "a price between a count and a day",
    (left: number, sold: number, day: string) => `${sold} watch this, only $${left},99 until ${day}!`,
  ],
])("an edit of %s is told", (_, words) => {
  const hidden = seeds.filter((seed) => {
    const { page, isHidden } = learnt(
      (number, roll) => `<p class="stock">${words(3 + number, 2 + roll(30), days[roll(3)] ?? "")}</p>`,
      seed,
    );
    return pages.some((number) => {
      const one = page(number);
      return isHidden(one, one.replace(new RegExp(`(only \\$?)${3 + number}`, "i"), `$1${30 + number}`));
    });
  });
  expect(hidden).toEqual([]);
});

test("numbers that differ with the words around them are hidden, dates and times as a whole", () => {
  const { page, isHidden } = learnt(
    (_, roll) =>
      `<p class="made">${1_000 + roll(9_000)} readers, ${days[roll(3)]} ${10 + roll(10)} Nov 2026 ${10 + roll(10)}:${10 + roll(50)}:07</p>`,
    1,
  );
  expect(isHidden(page(1), page(1))).toBe(true);
});
