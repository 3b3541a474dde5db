import { expect, test } from "@jest/globals";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { compileRule } from "../rules/compile-rule.js";
import { isHeld } from "./bound-rules.js";
import { learnRules } from "./learn-rules.js";

let state = 7;
/** Returns a pseudo-random number below `sides`, the same in every run. */
function roll(sides: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * sides);
}
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const word = () => Array.from({ length: 8 }, () => letters[roll(letters.length)]).join("");
const prose = Array.from({ length: 20 }, (_, index) => `<p>Paragraph ${index} says what it has to say.</p>`).join("\n");
let now = 1_777_000_000_000;
/** A script with a word that is generated at each visit, one that alternates between two, and others that stay. */
const page = (number: number) =>
  `<html><body><script>window.state={"req":"${word()}","t":${(now += 2_500 + roll(999))},"variant":"${"ab"[roll(2)]}","price":${number}.5,"currency":"EUR","lang":"en"};</script>${prose}</body></html>`;
const versions = (number: number) => Array.from({ length: 5 }, () => page(number));
const learned = learnRules(
  Array.from({ length: 12 }, (_, number) => versions(number)).flatMap((of, number) =>
    of.slice(1).map((newer, index) => ({ path: `/${number}`, older: of[index] ?? "", newer })),
  ),
  () => [],
);
const rules = (isMeant: (spec: (typeof learned)[number]["spec"]) => boolean) =>
  learned
    .filter(({ spec }) => isMeant(spec))
    .map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
const changes = (a: string, b: string, by = rules(() => true)) =>
  assess(new LeftPage(a, by), new LeftPage(b, by)).changes;

test("of texts in quotes that differ each is named, and those beside it are told", () => {
  for (let visit = 0; visit < 5; visit += 1) expect(changes(page(3), page(3))).toBe(0);
  const after = page(3);
  for (const [from, to] of [
    ['"EUR"', '"USD"'],
    ['"price":3', '"price":4'],
    ["window.state", "send();window.state"],
  ] as const)
    expect([from, changes(page(3), after.replace(from, to))]).toEqual([from, 1]);
});

test("one of two words in quotes is held to be one of these", () => {
  const held = rules(isHeld);
  const [a, b, stolen] = ["a", "b", "stolen"].map((variant) =>
    page(3)
      .replace(/(?<="variant":")\w/, variant)
      .replace(/(?<="req":")\w+/, "same"),
  );
  expect(changes(a ?? "", b ?? "", held)).toBe(0);
  expect(changes(a ?? "", stolen ?? "", held)).toBe(1);
});
