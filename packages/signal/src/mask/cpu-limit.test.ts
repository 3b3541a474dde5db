import { afterEach, expect, jest, test } from "@jest/globals";
import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import { compileRule } from "../rules/compile-rule.js";
import { maskPage } from "./mask-page.js";

afterEach(() => {
  jest.restoreAllMocks();
});

const none = { selector: null, name: null, parameter: null, pattern: null, before: null, after: null };
const rule = (id: string, fields: Partial<AppliedRule> & Pick<AppliedRule, "kind">) =>
  compileRule({ id, path: "*", note: "", syntax: "literal", ...none, ...fields });
const rules = [
  rule("expression", { kind: "text", syntax: "re2", pattern: "[0-9]+ views" }),
  rule("value", { kind: "element", selector: "b", syntax: "re2", pattern: "[0-9]+" }),
  rule("element", { kind: "element", selector: "i" }),
];
const html = "<p>12 views</p><b>3</b><b>4</b><i>x</i>";

/** Fakes a clock that moves by ten seconds whenever it is read, of which the thread worked the given share. */
function busyMachine(share: number): void {
  let asked = 0;
  jest.spyOn(performance, "now").mockImplementation(() => (asked += 1) * 10_000);
  jest.spyOn(process, "threadCpuUsage").mockImplementation((before) => {
    const user = asked * 10_000_000 * share - (before?.user ?? 0);
    return { user, system: 0 };
  });
}

test("rules hold while a thread waits for its turn on a busy machine", () => {
  busyMachine(0.000_001);
  const { masked, notApplied } = maskPage(html, rules);
  expect(notApplied).toEqual([]);
  expect(masked.map(({ from, to }) => html.slice(from, to))).toEqual(["12 views", "3", "4", "<i>x</i>"]);
});

test("what takes the thread's own time too long is not applied", () => {
  busyMachine(1);
  const { masked, notApplied } = maskPage(html, rules.slice(0, 1));
  expect(masked).toEqual([]);
  expect(notApplied).toEqual([{ rule: "expression", reason: "the rules together take too long on this page" }]);
});

test("a pattern has its time on every page, however many came before", () => {
  busyMachine(0.000_02);
  const applied = Array.from({ length: 2_000 }, () => maskPage(html, rules.slice(1, 2)).masked.length);
  expect(new Set(applied)).toEqual(new Set([2]));
});

test("what is nested deeper than any browser shows is not looked at by selectors, and texts are", () => {
  const deep = `${"<div>".repeat(200_000)}7 views`;
  const { masked, notApplied } = maskPage(deep, rules);
  expect(masked.map(({ rule: by }) => by)).toEqual(["expression"]);
  expect(notApplied).toEqual(
    ["value", "element"].map((each) => ({ rule: each, reason: "the page is nested too deeply for a selector" })),
  );
});
