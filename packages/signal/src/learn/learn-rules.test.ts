import { describe, expect, test } from "@jest/globals";
import { compileRule, type CompiledRule } from "../rules/compile-rule.js";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { learnRules, shareMax } from "./learn-rules.js";
import { groupByTemplate, kindsOf } from "./templates.js";

/** A pseudo-random dice, repeatable by its seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}
const hex = (roll: (sides: number) => number, length: number) =>
  Array.from({ length }, () => "0123456789abcdef"[roll(16)]).join("");
const prose = (number: number) =>
  Array.from(
    { length: 30 },
    (_, index) =>
      `<p>Paragraph ${index} of page ${number}: the quick brown fox jumps over lazy dog ${index * number}.</p>`,
  ).join("\n");
const ads = ["Buy our <b>hat</b> today!", "Shoes are <i>half price</i>", "New: <em>umbrellas</em>"];

/** A page of a shop with all kinds of noise that servers produce. @param edit changes what a person would see */
function page(number: number, seed: number, edit: (html: string) => string = (html) => html): string {
  const roll = dice(seed * 1000 + number);
  for (let warm = 0; warm < 5; warm += 1) roll(2);
  const list = ["Anna", "Bert", "Carla", "Dora", "Emil"].toSorted(() => roll(3) - 1);
  return edit(`<!doctype html><html><head><title>Page ${number}</title>
<script nonce="${hex(roll, 16)}">window.app = {"csrf":"${hex(roll, 24)}","page":${number},"time":${1_700_000_000 + seed * 37}};</script>
<link rel="stylesheet" href="/style.css?v=${hex(roll, 8)}"></head>
<body><form class="search"><input type="hidden" name="token" value="${hex(roll, 32)}"><input name="q"></form>
<h1>Page ${number}</h1><div class="ad">${ads[roll(3)] ?? ""}</div>
<p class="meta">Rendered at 2026-11-23 12:${10 + roll(49)}:${10 + roll(49)} in 0.${100 + roll(899)} seconds</p>
<div class="hero ${roll(2) === 0 ? "variant-a" : "variant-b"}"><a href="/buy/${number}">Buy now</a></div>
<p>This page was seen <b>${1000 + seed * 3 + roll(9)}</b> times.</p>
<ul class="people">${list.map((name) => `<li><a href="/people/${name}">${name}</a></li>`).join("")}</ul>
${prose(number)}</body></html>`);
}

const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
const probes = numbers.map((number) => ({ path: `/p/${number}`, older: page(number, 1), newer: page(number, 2) }));
const learned = learnRules(probes, () => []);
const inForce: CompiledRule[] = learned
  .filter(({ evidence }) => evidence.share <= shareMax)
  .map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
const changes = (a: string, b: string) => assess(new LeftPage(a, inForce), new LeftPage(b, inForce)).changes;

describe("what is learned from pages that were fetched twice", () => {
  test("ten further fetches without an edit have no changes", () => {
    const found: unknown[] = [];
    for (let seed = 3; seed < 13; seed += 1)
      for (const number of numbers)
        if (changes(page(number, seed - 1), page(number, seed)) > 0) found.push([seed, number]);
    expect(found).toEqual([]);
  });

  test.each<[string, (html: string) => string]>([
    ["in the text", (html) => html.replace("quick brown", "slow green")],
    ["on the line of the clock", (html) => html.replace("Rendered at", "Drawn at")],
    ["behind the clock", (html) => html.replace(" seconds</p>", " seconds by a new server</p>")],
    ["in the script with the token", (html) => html.replace('"page":', '"site":')],
    ["in the sentence with the count", (html) => html.replace("This page was seen", "This page was viewed")],
    ["in the form with the token", (html) => html.replace('<input name="q">', '<input name="query">')],
    ["in the list whose order differs", (html) => html.replace(">Carla<", ">Karla<")],
    ["in the link of the variant", (html) => html.replace("Buy now", "Buy later")],
    ["in the address of the style", (html) => html.replace("/style.css", "/styles.css")],
  ])("an edit %s is told", (_place, edit) => {
    for (const number of numbers) expect(changes(page(number, 5), page(number, 6, edit))).toBeGreaterThan(0);
  });

  test("each rule tells why: pages, values and how much it covers", () => {
    for (const { evidence } of learned) {
      expect(evidence.pages).toBeGreaterThan(0);
      expect(evidence.values.length).toBeGreaterThan(0);
      expect(evidence.looked).toBe(numbers.length);
    }
  });

  test("nothing is learned from pages that do not differ", () => {
    expect(
      learnRules(
        probes.map(({ path, older }) => ({ path, older, newer: older })),
        () => [],
      ),
    ).toEqual([]);
  });
});

test.each([
  ["commas", (count: number) => count.toLocaleString("en-US")],
  ["points", (count: number) => count.toLocaleString("de-DE")],
  ["narrow spaces", (count: number) => count.toLocaleString("fr-FR")],
])("a counter with %s goes on over its thousands", (_, written) => {
  const seen = (number: number, count: number, words = "viewed") =>
    `<html><body><h1>Page ${number}</h1>${prose(number)}<p>This article was ${words} ${written(count)} times so far.</p></body></html>`;
  const found = learnRules(
    numbers.map((number) => ({
      path: `/p/${number}`,
      older: seen(number, 98_200 + number),
      newer: seen(number, 98_300 + number),
    })),
    () => [],
  );
  const rules = found.map(({ spec }, index) => compileRule({ ...spec, id: `c${index}`, path: "*", note: "" }));
  const told = (a: string, b: string) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;
  expect(told(seen(1, 98_999), seen(1, 99_000))).toBe(0);
  expect(told(seen(1, 99_999), seen(1, 100_000))).toBe(0);
  expect(told(seen(1, 98_999), seen(1, 99_000, "opened"))).toBe(1);
});

test("pages of one template stand together", () => {
  const kinds = [page(1, 1), "<h1 class=x>other</h1><table><tr><td>", page(2, 1), page(3, 9)].map((html) =>
    kindsOf(html),
  );
  expect(groupByTemplate(kinds)).toEqual([[0, 2, 3], [1]]);
});
