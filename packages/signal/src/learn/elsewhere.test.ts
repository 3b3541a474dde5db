import { expect, test } from "@jest/globals";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { compileRule } from "../rules/compile-rule.js";
import { isHeld } from "./bound-rules.js";
import { learnRules } from "./learn-rules.js";

const things = Array.from({ length: 40 }, (_, index) => ({
  price: `${5 + index}.${10 + index}`,
  path: `/item-${index}`,
}));
const card = ({ price, path }: (typeof things)[number]) =>
  `<li class="card"><a href="${path}">See it</a> <span class="price">€ ${price}</span></li>`;
const prose = Array.from({ length: 60 }, (_, index) => `<p>Paragraph ${index} says what it has to say.</p>`).join("\n");
const html = (body: string) => `<html><head><title>Shop</title></head><body>${body}\n${prose}</body></html>`;
const token = (visit: number) => `${(visit * 2_654_435_761) >>> 0}`.padStart(10, "7");

/** A page of one product that recommends others, different ones at each visit. */
const product = (number: number, visit: number) => {
  const others = [1, 2, 3, 4].map((place) => things[(number * 3 + visit * 7 * place) % things.length]);
  return html(
    `<i data-visit="${token(visit)}"></i><h1>Thing ${number}</h1><ul>${others.map((thing) => thing && card(thing)).join("\n")}</ul>`,
  );
};
/** A list of some products with their prices, which are edited by people. */
const category = (number: number, visit: number) =>
  html(
    `<i data-visit="${token(visit)}"></i><h2>Category ${number}</h2><ol>${things
      .slice(number * 8, number * 8 + 8)
      .map(card)
      .join("\n")}</ol>`,
  );

const numbers = [0, 1, 2, 3, 4, 5];
const learn = (pathOf: (number: number) => string, others: "with others" | "alone") => {
  const pages = numbers.flatMap((number) =>
    [1, 2, 3].map((visit) => ({
      path: pathOf(number),
      older: product(number, visit),
      newer: product(number, visit + 1),
    })),
  );
  const lists = [0, 1].map((number) => ({
    path: `/list-${number}`,
    older: category(number, 1),
    newer: category(number, 2),
  }));
  const learned = learnRules(pages, () => [], undefined, others === "alone" ? [] : lists);
  const rules = learned
    .filter(({ spec }) => isHeld(spec))
    .map(({ spec, path = "*" }, index) => compileRule({ ...spec, id: `r${index}`, path, note: "" }));
  return (path: string, a: string, b: string) => {
    const own = rules.filter((rule) => rule.holdsFor(path));
    return assess(new LeftPage(a, own), new LeftPage(b, own)).changes;
  };
};
const [older, newer] = [category(2, 8), category(2, 9)];
const dearer = newer.replace("€ 21.26", "€ 99.99");
const elsewhereTo = newer.replace("/item-16", "/item-30");

test("what differs on pages of one template is not hidden where it stays on pages of another", () => {
  const changes = learn((number) => `/item-${number}`, "with others");
  expect(changes("/list-2", older, dearer)).toBe(1);
  expect(changes("/list-2", older, elsewhereTo)).toBe(1);
  // a token differs everywhere, and recommendations stay noise in their own place
  expect(changes("/list-2", older, newer)).toBe(0);
  expect(changes("/item-3", product(3, 8), product(3, 9))).toBe(0);
  // without the other pages this cannot be known
  expect(learn((number) => `/item-${number}`, "alone")("/list-2", older, dearer)).toBe(0);
});

test("where no path tells such pages apart, a rule is learned that names the place in another way", () => {
  const changes = learn((number) => `/${"pqrstuvw"[number]}${number}`, "with others");
  expect(changes("/list-2", older, dearer)).toBe(1);
  expect(changes("/list-2", older, newer)).toBe(0);
  expect(changes("/s3", product(3, 8), product(3, 9))).toBe(0);
});
