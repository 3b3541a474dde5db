import { expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { type CompiledRule, compileRule } from "../rules/compile-rule.js";
import { isHeld } from "./bound-rules.js";
import { learnRules } from "./learn-rules.js";

/** Bytes that look random and are the same at each run, as base64. */
function base64(seed: string, length: number): string {
  let text = "";
  for (let part = 0; text.length < length; part++)
    text += createHash("sha512").update(`${seed} ${part}`).digest("base64").replaceAll("=", "");
  return text.slice(0, length);
}

/** A page of a form whose state is sent along as one long token, as ASP.NET does it. */
function page(number: number, visit: number, length: number, price = `${number}.90`): string {
  const state = `/wEPDwUK${base64(`${number} ${visit}`, length)}`;
  return `<html><body><h1>Product ${number}</h1><p>${"What is to be said of it. ".repeat(20)}</p>
<form action="/buy/${number}"><input type="hidden" name="__VIEWSTATE" value="${state}"><p>Price: ${price}</p></form></body></html>`;
}

/** Learns from two visits of twelve pages, and tells how many changes two others have. @param lengthOf the length of the token at a visit */
function told(lengthOf: (number: number, visit: number) => number) {
  const at = (number: number, visit: number, price?: string) => page(number, visit, lengthOf(number, visit), price);
  const probes = Array.from({ length: 12 }, (_, index) => index + 1).map((number) => ({
    path: `/p/${number}`,
    older: at(number, 1),
    newer: at(number, 2),
  }));
  const rules: CompiledRule[] = learnRules(probes, () => [])
    .filter(({ spec }) => isHeld(spec))
    .map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  const changes = (a: string, b: string) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;
  return {
    rules: rules.length,
    again: changes(at(3, 1), at(3, 9)),
    priced: changes(at(3, 1), at(3, 9, "777.00")),
    replaced: changes(at(3, 1), at(3, 9).replace(/value="[^"]*"/, 'value="please sign in again"')),
  };
}

test.each<[string, (number: number, visit: number) => number]>([
  ["of one length", () => 400],
  ["of one length, which no expression may repeat so often", () => 6_000],
  ["that differ in length", (number, visit) => 300 + ((number * 7 + visit * 61) % 160)],
  ["that are long and differ in length", (number, visit) => 2_000 + ((number * 131 + visit * 977) % 4_000)],
])("states %s are noise, and nothing beside or in place of them is", (_, lengthOf) => {
  const { rules, again, priced, replaced } = told(lengthOf);
  expect({ rules, again }).toEqual({ rules: 1, again: 0 });
  expect(priced).toBeGreaterThan(0);
  expect(replaced).toBeGreaterThan(0);
});

/** A page with a token in some place, as `written` puts it there. */
const holding = (written: (token: string) => string, number: number, visit: number, price: string) =>
  `<html><body><h1>Product ${number}</h1><p>${"What is to be said of it. ".repeat(20)}</p>
${written(base64(`${number} ${visit}`, 90 + ((number * 7 + visit * 13) % 12)))}
<p>Price: ${price}</p></body></html>`;

const placed: Record<string, (token: string) => string> = {
  "in an address": (token) => `<a href="/login?state=${encodeURIComponent(token)}&amp;page=2">Sign in</a>`,
  "in a field, escaped for an address": (token) =>
    `<input type="hidden" name="wresult" value="${encodeURIComponent(token)}">`,
  "in JSON as PHP writes it": (token) =>
    `<script>window.data={"token":"${token.replaceAll("/", "\\/")}","stock":12}</script>`,
};

test.each(Object.entries(placed))("a token with escapes %s is noise, and words in its place are not", (_, written) => {
  const numbers = Array.from({ length: 12 }, (__, index) => index + 1);
  const at = (number: number, visit: number, price = `${number}.90`) => holding(written, number, visit, price);
  const probes = numbers.map((number) => ({ path: `/p/${number}`, older: at(number, 1), newer: at(number, 2) }));
  const rules = learnRules(probes, () => [])
    .filter(({ spec }) => isHeld(spec))
    .map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  const changes = (a: string, b: string) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;
  expect(numbers.map((number) => changes(at(number, 1), at(number, 9)))).toEqual(numbers.map(() => 0));
  expect(changes(at(3, 1), at(3, 9, "777.00"))).toBeGreaterThan(0);
  const said = written("x").replace(
    /x/,
    encodeURIComponent("We are closed until further notice, please come back later"),
  );
  expect(
    changes(
      at(3, 1),
      holding(() => said, 3, 1, "3.90"),
    ),
  ).toBeGreaterThan(0);
});
