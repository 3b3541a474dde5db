import { expect, test } from "@jest/globals";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { compileRule } from "../rules/compile-rule.js";
import { isHeld } from "./bound-rules.js";
import { learnRules } from "./learn-rules.js";

let state = 11;
const roll = (sides: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * sides);
};
const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => [roll(1_000_000), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item);
const prose = Array.from({ length: 20 }, (_, index) => `<p>Paragraph ${index} says what it has to say.</p>`).join("\n");

/** A page with data for scripts: related items in random order, a random switch per visit, and texts that an editor wrote. */
const page = (number: number, related: readonly unknown[]) => {
  const props = {
    post: { id: number, price: number + 0.5, tags: ["a", "b", "c"] },
    related,
    flags: { newMenu: roll(2) === 0, checkout: true },
  };
  return `<html><body><h1>Post ${number}</h1>${prose}<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props, page: "/[id]" })}</script></body></html>`;
};
const colours = () => shuffled(["red", "green", "blue", "gold"]);
const made = () =>
  Array.from(
    { length: 3 },
    () => `word ${"abcdefghijklmnopqrstuvwxyz"[roll(26)]}${"abcdefghijklmnopqrstuvwxyz"[roll(26)]}`,
  );

function learn(related: () => readonly unknown[]) {
  const learned = learnRules(
    Array.from({ length: 12 }, (_, index) => index + 1).flatMap((number) =>
      [1, 2].map(() => ({ path: `/${number}`, older: page(number, related()), newer: page(number, related()) })),
    ),
    () => [],
  );
  const changesBy = (isMeant: (at: number) => boolean) => {
    const rules = learned
      .filter((_, at) => isMeant(at))
      .map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
    return (a: string, b: string) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;
  };
  return {
    learned,
    held: changesBy((at) => learned[at] !== undefined && isHeld(learned[at].spec)),
    all: changesBy(() => true),
  };
}

const edits: readonly [from: string | RegExp, to: string][] = [
  ['"price":3.5', '"price":3.6'],
  ['["a","b","c"]', '["b","a","c"]'],
  ['"checkout":true', '"checkout":false'],
  [/"newMenu":\w+/, '"newMenu":"yes"'],
  ['"page":"/[id]"', '"page":"/"'],
  [/,"related":\[[^\]]*\]/, ""],
];

test.each<[string, () => readonly unknown[]]>([
  ["texts", colours],
  ["numbers", () => shuffled([12, 3, 204, 77])],
])("%s of an array that come in any order, and a switch, are noise; what stands beside them is told", (_, related) => {
  const { held } = learn(related);
  for (let visit = 0; visit < 5; visit += 1) expect(held(page(3, related()), page(3, related()))).toBe(0);
  for (const [from, to] of edits) {
    const after = page(3, related());
    expect(after.replace(from, to)).not.toBe(after);
    expect([from, held(page(3, related()), after.replace(from, to))]).toEqual([from, 1]);
  }
});

test("an item that was never seen is told", () => {
  const { held } = learn(colours);
  expect(held(page(3, colours()), page(3, ["red", "green", "blue", "pink"]))).toBe(1);
});

test("of an array of any words a rule is proposed that hides the array alone", () => {
  const { held, all } = learn(made);
  expect(held(page(3, made()), page(3, made()))).toBe(1);
  expect(all(page(3, made()), page(3, made()))).toBe(0);
  for (const [from, to] of edits)
    expect([from, all(page(3, made()), page(3, made()).replace(from, to))]).toEqual([from, 1]);
});
