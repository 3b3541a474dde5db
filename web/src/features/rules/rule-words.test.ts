import { expect, test } from "@jest/globals";
import { ruleKind } from "@web-tester/contracts/entities/rule";
import { titleOf } from "@web-tester/contracts/rule-title";
import { ruleWords } from "./rule-words.js";

const spec = {
  selector: "main > p",
  name: "href",
  parameter: null,
  pattern: "a*b",
  syntax: "literal",
  before: "from",
  after: "to",
};

test.each(
  ruleKind.options.flatMap((kind) => [
    { ...spec, kind },
    { ...spec, kind, parameter: "utm", syntax: "re2" },
  ]),
)("English words of a rule are the contract's title: $kind, $syntax", (rule) => {
  expect(ruleWords(rule as Parameters<typeof titleOf>[0])).toBe(titleOf(rule as Parameters<typeof titleOf>[0]));
});
