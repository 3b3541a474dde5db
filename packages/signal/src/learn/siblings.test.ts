import { expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { type CompiledRule, compileRule } from "../rules/compile-rule.js";
import { learnRules, shareMax } from "./learn-rules.js";

const numbers = Array.from({ length: 8 }, (_, index) => index + 1);
const prose = "What is to be said of it, which takes some words and does not change. ".repeat(20);
/** Returns pseudo-random digits, repeatable by their seed. */
const digits = (seed: number, length: number) =>
  BigInt(`0x${createHash("sha256").update(`${seed}`).digest("hex")}`)
    .toString()
    .slice(0, length);

type Write = (number: number, seed: number) => string;

function learnedFrom(write: Write) {
  const probes = numbers.map((number) => ({ path: `/${number}`, older: write(number, 1), newer: write(number, 2) }));
  const learned = learnRules(probes, () => []);
  const inForce: CompiledRule[] = learned
    .filter(({ evidence }) => evidence.share <= shareMax)
    .map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  const changes = (a: string, b: string) => assess(new LeftPage(a, inForce), new LeftPage(b, inForce)).changes;
  return { learned, changes };
}

/** A menu as a script draws it: its entries refer to one another by ids that are generated at every visit. */
const menu: Write = (number, seed) => {
  const id = `sm-17${digits(seed * 100 + number, 24)}`;
  const entry = (at: number) =>
    `<li><a href="${at}.html">Entry ${at}</a><ul id="${id}-${at * 5}" aria-labelledby="${id}-${at * 5 + 1}"><li><a href="${at}a.html">Below ${at}</a></li></ul></li>`;
  return `<html><body><ul id="menu">${[1, 2, 3, 4, 5, 6].map(entry).join("")}</ul><h1>${number}</h1><p>${prose}</p></body></html>`;
};

test("entries of a menu that differ alike are one rule for each attribute", () => {
  const { learned, changes } = learnedFrom(menu);
  expect(learned).toHaveLength(2);
  for (const name of ["id", "aria-labelledby"])
    expect(learned.map(({ spec }) => spec)).toContainEqual(
      expect.objectContaining({ kind: "attribute", selector: "ul#menu > li > ul", name }),
    );
  for (const { evidence } of learned) expect(evidence).toMatchObject({ pages: 8, looked: 8, times: 48 });
  for (const number of numbers) expect(changes(menu(number, 3), menu(number, 4))).toBe(0);
  const edited = menu(3, 4).replace("Below 4", "Under 4");
  expect(changes(menu(3, 3), edited)).toBe(1);
  expect(changes(menu(3, 3), menu(3, 4).replace(/aria-labelledby="[^"]*"/, 'aria-labelledby="title"'))).toBe(1);
});

test("a sibling that stays is not hidden with those that differ", () => {
  const write: Write = (number, seed) => {
    const row = (at: number) =>
      `<tr><td>${at === 3 ? 4_000 + number : digits(seed * 100 + number * 10 + at, 4)}</td></tr>`;
    return `<html><body><table>${[1, 2, 3, 4, 5].map(row).join("")}</table><p>${prose}</p></body></html>`;
  };
  const { changes } = learnedFrom(write);
  expect(changes(write(3, 3), write(3, 4).replace("<td>4003<", "<td>5003<"))).toBe(1);
});

test("siblings that differ in other ways have rules of their own", () => {
  const write: Write = (number, seed) => {
    const values = [`${digits(seed + number, 3)}`, `key-${digits(seed * 31 + number, 20)}`];
    const items = values.map((value) => `<div><b title="${value}">x</b></div>`).join("");
    return `<html><body><section>${items}</section><p>${prose}</p></body></html>`;
  };
  const { learned, changes } = learnedFrom(write);
  expect(new Set(learned.map(({ spec }) => spec.selector))).toEqual(
    new Set(["section > div:nth-of-type(1) > b", "section > div:nth-of-type(2) > b"]),
  );
  expect(changes(write(3, 3), write(3, 4))).toBe(0);
  // a value of one kind in place of the other
  expect(changes(write(3, 3), write(3, 4).replace(/title="key-\d+"/, 'title="123"'))).toBe(1);
});

test("rules that may be put in force one by one are not joined to one that may not", () => {
  const write: Write = (number, seed) => {
    const cell = (at: number) => `<li>${digits(seed * 100 + number * 10 + at, 12)}</li>`;
    return `<html><body><ul>${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(cell).join("")}</ul><p>${prose.slice(0, 700)}</p></body></html>`;
  };
  const { learned, changes } = learnedFrom(write);
  for (const { evidence } of learned) expect(evidence.share).toBeLessThanOrEqual(shareMax);
  for (const number of numbers) expect(changes(write(number, 3), write(number, 4))).toBe(0);
});
