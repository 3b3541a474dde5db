import { expect, test } from "@jest/globals";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { type CompiledRule, compileRule } from "../rules/compile-rule.js";
import { isHeld } from "./bound-rules.js";
import { learnRules } from "./learn-rules.js";

const words = "none apple bread cheese dates eggs figs grapes honey juice kiwi lemon milk".split(" ");

/** A page with a form whose token and time differ at every visit, and with a price between them that does not. */
const page = (number: number, seed: number, names: readonly [string, string, string], price = `${number}00`) => {
  const token = ((number * 7_919 + seed * 104_729) * 1_000_003).toString(16).padStart(40, "3f9a0c");
  const [one, other, last] = names;
  return `<html><body><h1>Product ${number}</h1><p>${"What is to be said of it. ".repeat(20)}</p>
<form action="/buy/${number}"><label>${words[number] ?? ""}</label><input type="hidden" name="${one}" value="${token}"><input type="hidden" name="${other}" value="${price}"><input type="hidden" name="${last}" value="${1_700_000_000 + seed * 37 + number}"></form></body></html>`;
};

function told(names: readonly [string, string, string]): (a: string, b: string) => number {
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
  const probes = numbers.map((number) => ({
    path: `/p/${number}`,
    older: page(number, 1, names),
    newer: page(number, 2, names),
  }));
  const rules: CompiledRule[] = learnRules(probes, () => [])
    .filter(({ spec }) => isHeld(spec))
    .map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  return (a, b) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;
}

test.each<[string, string, string]>([
  ["_token", "price", "_time"],
  ["order[_token]", "order[price]", "order[time]"],
])("fields that differ are told apart by their names: %s, %s, %s", (...names) => {
  const changes = told(names);
  expect(changes(page(3, 5, names), page(3, 6, names))).toBe(0);
  expect(changes(page(3, 5, names), page(3, 6, names, "777"))).toBeGreaterThan(0);
});

test("where no name tells them apart, a field that stays is not hidden with those that differ", () => {
  const names = ["1t", "2p", "3s"] as const;
  expect(told(names)(page(3, 5, names), page(3, 6, names, "777"))).toBeGreaterThan(0);
});
