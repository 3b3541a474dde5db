import { expect, test } from "@jest/globals";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { compileRule } from "../rules/compile-rule.js";
import { learnRules } from "./learn-rules.js";
import { prose } from "./test-pages.js";

/** A page with a drawing whose id is another one each time, as Mermaid makes it, in its style sheet and in all that refers to its parts. */
const drawing = (id: number, label = "Start", colour = "#333333") =>
  `<html><body>${prose(1)}<svg id="mermaid-${id}"><style>#mermaid-${id}{fill:${colour}}#mermaid-${id} .node{stroke:#9370DB}#mermaid-${id} .edge{stroke:#333333}</style>
<marker id="mermaid-${id}_flowchart-pointEnd"></marker><marker id="mermaid-${id}_flowchart-crossEnd"></marker>
<path marker-end="url(#mermaid-${id}_flowchart-pointEnd)" d="M0 4096L1024 4096"></path><text>${label}</text></svg></body></html>`;

const learn = (...pages: [older: string, newer: string][]) =>
  learnRules(
    pages.map(([older, newer], index) => ({ path: `/${index}`, older, newer })),
    () => [],
  );

test("an id that stands in many places of a page is one rule, and what stands beside it still counts", () => {
  const learned = learn([drawing(1_796_071_953_723), drawing(1_796_072_031_756)]);
  expect(learned.map(({ spec, evidence }) => [spec.kind, spec.pattern, evidence.times])).toEqual([
    ["text", "mermaid-([0-9]{13})", 7],
  ]);
  const rules = learned.map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  const changes = (a: string, b: string) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;
  const first = drawing(1_796_071_953_723);
  expect(changes(first, drawing(1_796_099_999_999))).toBe(0);
  expect(changes(first, drawing(1_796_099_999_999, "End"))).toBeGreaterThan(0);
  expect(changes(first, drawing(1_796_099_999_999, "Start", "#333339"))).toBeGreaterThan(0);
  expect(changes(first, first.replaceAll("1796071953723", "main"))).toBeGreaterThan(0);
});

test("values without anything in common before or after them are no such rule", () => {
  const page = (colour: string) =>
    `<html><body>${prose(2)}<b style="color:#${colour}">a</b><i class="x${colour} y">b</i><u id="${colour}">c</u>${colour}, <s>${colour}</s></body></html>`;
  const texts = learn([page("04554b"), page("829082")]).filter(({ spec }) => spec.kind === "text");
  const patterns = texts.map(({ spec }) => spec.pattern ?? "");
  expect(patterns.filter((pattern) => /^\(?\[/.test(pattern))).toEqual([]);
});

test("a number that people read, which stands often and changes to another, keeps its words", () => {
  const page = (build: number) =>
    `<html><body>${prose(3)}${["Head", "Side", "Foot", "Log"].map((part) => `<p>${part}: build ${build} of today</p>`).join("")}<p>Last good build 4711</p></body></html>`;
  const learned = learn([page(5000), page(5001)]);
  const rules = learned.map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  const changes = (a: string, b: string) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;
  expect(changes(page(5000), page(5002))).toBe(0);
  expect(changes(page(5000), page(5002).replace("Last good build 4711", "Last good build failed"))).toBeGreaterThan(0);
});
