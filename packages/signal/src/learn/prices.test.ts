import { expect, test } from "@jest/globals";
import { isHeld } from "./bound-rules.js";
import type { Learned } from "./learned.js";
import { learnRules } from "./learn-rules.js";
import { dice, prose } from "./test-pages.js";

const pages = Array.from({ length: 8 }, (_, index) => index);

/** Learns from two visits of each page. @returns the rules that restrict what they hide */
function learnt(around: (page: number, roll: (sides: number) => number) => string): Learned[] {
  const roll = dice(7);
  const page = (number: number) => `<html><body>${around(number, roll)}\n${prose(number)}</body></html>`;
  return learnRules(
    pages.map((number) => ({ path: `/${number}`, older: page(number), newer: page(number) })),
    () => [],
  ).filter(({ spec }) => isHeld(spec));
}

test.each([
  ["a currency behind it", (price: number) => `<p>Costs ${price} EUR</p>`],
  ["a sign before it", (price: number) => `<p>Only $${price}.99 today</p>`],
  ["a part that stays the same and a sign", (price: number) => `<b class="now">${price},50&nbsp;€</b>`],
  ["an entity", (price: number) => `<b class="now">&pound;${price}</b>`],
  ["the name of its element", (price: number) => `<span class="price big">${price}</span>`],
  ["a field of a script", (price: number) => `<script>var shop = {"price":${price},"stock":5};</script>`],
  ["groups of three digits", (price: number) => `<p>Costs ${price} 500,00 €</p>`],
  ["an attribute that is called so", (price: number) => `<div id="item" data-price="${price}">It</div>`],
  ["microdata", (price: number) => `<meta itemprop="price" content="${price}.00">`],
])("a rule for a number with %s is one for prices", (_, write) => {
  // a test of two prices, and one for which each page has its own
  for (const values of [
    [10, 12],
    [19, 18, 17, 16, 15, 14],
  ]) {
    const rules = learnt((page, roll) => write((values[roll(values.length)] ?? 0) + (values.length > 2 ? page : 0)));
    expect(rules).not.toEqual([]);
    expect(rules.filter(({ isPrice }) => isPrice !== true)).toEqual([]);
  }
});

test.each([
  ["views", (number: number) => `<p>${number} views</p>`],
  ["a counter in a script", (number: number) => `<script>var hits = ${number};</script>`],
  ["a counter behind a price", (number: number) => `<p>$5 each, ${number} sold</p>`],
  ["a counter right behind a price", (number: number) => `<p>Now $5 - ${number} sold</p>`],
  ["a time in the tag of a price", (n: number) => `<b class="price" data-at="${1_796_027_000_000 + n}">$5</b>`],
  ["a number in the tag of a price", (number: number) => `<b class="price" data-row="${number}">$5</b>`],
  [
    "an advertisement that names a price",
    (number: number) => `<p>${["Buy hats for $19 now", "New: shoes are $25", "Gloves"][number % 3] ?? ""}</p>`,
  ],
  ["a clock", (number: number) => `<p>Served at 12:${10 + (number % 50)}:07</p>`],
])("a rule for %s is none", (_, write) => {
  const rules = learnt((__, roll) => write(100 + roll(900)));
  expect(rules).not.toEqual([]);
  expect(rules.filter(({ isPrice }) => isPrice === true)).toEqual([]);
});
