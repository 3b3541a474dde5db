import { expect, test } from "@jest/globals";
import { compileRule } from "../rules/compile-rule.js";
import { LeftPage } from "../compare/left-page.js";
import { assess } from "../compare/assess.js";
import { learnFromHistory } from "./learn-history.js";

const fetches = [0, 1, 2, 3, 4, 5];
const prose = (page: number) =>
  Array.from({ length: 12 }, (_, index) => `<p>Paragraph ${index} of page ${page} stays as it is.</p>`).join("\n");
/** A page with a clock, a variant that goes back and forth, an edit, and a notice that was taken back. */
const version = (page: number, fetch: number) => {
  const isOne = (page * 7 + fetch * 5 + ((page + fetch) % 3)) % 2 === 0;
  return `<html><body><div class="hero ${isOne ? "wide" : "slim"}"><h1>Page</h1>${isOne ? "<a class=cta>Buy now</a>" : "<a class=cta>Order here</a>"}</div>
<p>Printed at 10:0${fetch}:1${page % 10}</p>${prose(page)}
<p class="price">It costs ${fetch < 3 ? 20 : 25} euros</p><p class="notice">${fetch === 2 ? "Sale today" : "Welcome to all"}</p></body></html>`;
};
const pages = fetches.map((page) => ({ path: `/${page}`, versions: fetches.map((fetch) => version(page, fetch)) }));
const learned = learnFromHistory(pages, () => []);

test("what differs at every fetch, or goes back and forth, is proposed with how often", () => {
  const rules = learned.map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  const changes = (a: string, b: string) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;
  for (const page of fetches)
    for (const fetch of [1, 4, 5]) expect(changes(version(page, fetch - 1), version(page, fetch))).toBe(0);
  for (const { evidence } of learned) {
    expect(evidence.times).toBeGreaterThanOrEqual(3);
    expect(evidence).toMatchObject({ compared: 30, looked: 6 });
    expect(evidence.values.length).toBeGreaterThan(0);
  }
  // edits at the same time are still reported
  expect(changes(version(1, 2), version(1, 3))).toBeGreaterThan(0);
});

test("edits are no noise: not one on all pages, not one that was taken back", () => {
  const quiet = fetches.map((page) => ({
    path: `/${page}`,
    versions: fetches.map((fetch) => version(page, fetch).replace(/ class="hero.*?<\/div>|Printed at [\d:]+/gs, "")),
  }));
  expect(learnFromHistory(quiet, () => [])).toEqual([]);
  expect(learned.length).toBeGreaterThan(0);
});

test("two versions are too few to tell", () => {
  const few = pages.map(({ path, versions }) => ({ path, versions: versions.slice(0, 2) }));
  expect(learnFromHistory(few.slice(0, 1), () => [])).toEqual([]);
});
