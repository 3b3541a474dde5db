import { expect, test } from "@jest/globals";
import type { DiffHunk } from "@web-tester/contracts/entities/compare";
import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import { compare } from "@web-tester/diff/compare";
import { linesIn, tellIgnored } from "./tell-ignored.js";

const blank = {
  path: "*",
  note: "",
  selector: null,
  name: null,
  parameter: null,
  pattern: null,
  before: null,
  after: null,
};
const rules: AppliedRule[] = [
  { ...blank, id: "ad", kind: "element", syntax: "literal", selector: ".ad" },
  { ...blank, id: "token", kind: "between", syntax: "literal", before: 't="', after: '"' },
];
const ad = (words: string) => `<div class=ad>${words}</div>\n`;
const token = (value: string) => `<script>var t="${value}";</script>\n`;
function told(a: string, b: string, by = rules) {
  const hunks: DiffHunk[] = compare(linesIn(a, "source").text, linesIn(b, "source").text, { by: "lines" }).hunks;
  const { significant, ignored } = tellIgnored(a, b, "source", hunks, { path: "/", rules: by });
  return [significant, ignored, hunks.flatMap(({ lines }) => lines.flatMap((line) => line.ignored ?? []))];
}

test.each<[string, string, string]>([
  ["a last line twice", `${ad("x")}<p>end</p>`, `${ad("x")}<p>end</p>\n<p>end</p>`],
  ["one of two that differ in a value only", token("1") + token("0"), token("0")],
  ["another one of those", `${token("1")}<hr>\n${token("0")}`, `${token("1")}<hr>\n${token("2")}${token("0")}`],
])("%s counts, wherever it is shown", (_, a, b) => {
  expect(told(a, b)).toEqual([1, 0, []]);
});

test.each<[string, string, string, string[]]>([
  ["white space", "<p>a</p><p>b</p>\n", "<p>a</p>\n\n<p>b</p>\n", ["", "", "", ""]],
  ["what a rule names", ad("one"), ad("two"), ["ad", "ad"]],
  ["a value", token("1"), token("2"), ["token", "token"]],
])("%s does not", (_, a, b, by) => {
  expect(told(a, b)).toEqual([0, 1, by]);
});

test("markup is marked by its rule, and not the text between", () => {
  const markup: AppliedRule[] = [{ ...blank, id: "markup", kind: "markup", syntax: "literal" }];
  const [a, b] = ["<p class=a>one</p>\n<hr>\n<p>two</p>\n", "<p class=b>one</p>\n<hr>\n<p>three</p>\n"];
  expect(told(a, b, markup)).toEqual([1, 1, ["markup", "markup"]]);
});
