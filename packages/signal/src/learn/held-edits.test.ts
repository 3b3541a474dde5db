import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { compileRule } from "../rules/compile-rule.js";
import { isHeld } from "./bound-rules.js";
import { learnRules, shareMax } from "./learn-rules.js";
import { dice, prose } from "./test-pages.js";

type Roll = ReturnType<typeof dice>;
const letters = (roll: Roll, length: number, of: string) => Array.from({ length }, () => of[roll(of.length)]).join("");
const hex = (roll: Roll, length: number) => letters(roll, length, "0123456789abcdef");
const mixed = (roll: Roll, length: number) =>
  letters(roll, length, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const oneOf = (roll: Roll, items: readonly string[]): string => items[roll(items.length)] ?? "";
const two = (number: number) => String(number).padStart(2, "0");

/** Noise that differs at every fetch: the value, and the page around it. */
interface Noise {
  value(roll: Roll, visit: number): string;
  around(value: string, page: number): string;
  /** False where the value may be empty. */
  isAlways?: false;
}

const noises: Record<string, Noise> = {
  "a counter": {
    value: (_roll, visit) => String(4_000 + visit * 3),
    around: (value, page) => `<p>Page ${page} was read ${value} times by our readers.</p>`,
  },
  "a time": {
    value: (roll) => `${two(roll(24))}:${two(roll(60))}:${two(roll(60))}`,
    around: (value) => `<p class="made">Printed at ${value} by the server in the cellar</p>`,
  },
  "a day and a time": {
    value: (roll) =>
      `${oneOf(roll, ["Mon", "Tue", "Wed"])}, ${two(1 + roll(28))} ${oneOf(roll, ["Jan", "Feb", "Mar", "Apr"])} 2026 ${two(roll(24))}:${two(roll(60))}:${two(roll(60))} GMT`,
    around: (value) => `<footer>Rendered on ${value}. All rights reserved.</footer>`,
  },
  "how long ago": {
    value: (roll) =>
      oneOf(roll, ["just now", `${2 + roll(50)} seconds ago`, `${2 + roll(9)} minutes ago`, "a minute ago"]),
    around: (value) => `<p class="age">Updated ${value} by the editors</p>`,
  },
  "a token of a form": {
    value: (roll) => hex(roll, 32),
    around: (value) => `<form><input type="hidden" name="csrf" value="${value}"><input name="q"></form>`,
  },
  "a token of letters and signs": {
    value: (roll) => `${mixed(roll, 43)}=`,
    around: (value) => `<meta name="csrf-token" content="${value}">`,
  },
  "a token of any length": {
    value: (roll) => `x${hex(roll, 4 + roll(5))}7`,
    around: (value) => `<div data-id="${value}"><p>A part of the page</p></div>`,
  },
  "a nonce in a script": {
    value: (roll) => mixed(roll, 16),
    around: (value, page) => `<script>window.app = {"page":${page},"nonce":"${value}","lang":"en"};</script>`,
  },
  "a parameter of an address": {
    value: (roll) => hex(roll, 12),
    around: (value) => `<link rel="stylesheet" href="/style.css?v=${value}">`,
  },
  "one of some advertisements": {
    value: (roll) =>
      oneOf(roll, ["Buy our <b>hat</b> today!", "Shoes are <i>half price</i>", "New: <em>umbrellas</em>"]),
    around: (value) => `<div class="banner">${value}</div>`,
  },
  "one of some texts in a paragraph": {
    value: (roll) =>
      oneOf(roll, ["Buy hats in the spring", "Buy shoes", "Coats for the winter are here", "Read our paper"]),
    around: (value, page) => `<p>Article number ${page}. Advertisement: ${value} End of it. It goes on.</p>`,
  },
  "one of two variants": {
    value: (roll) =>
      oneOf(roll, ["<button class=cta>Start your free trial</button>", '<a class=cta href="/signup">Sign up</a>']),
    around: (value, page) => `<div class="hero"><h1>Page ${page}</h1>${value}</div>`,
  },
  "an element that comes and goes": {
    value: (roll) => (roll(2) === 0 ? '<em class="live">Live</em>' : ""),
    around: (value, page) => `<p>Posted on ${page} May. ${value} Read it all.</p>`,
    isAlways: false,
  },
  "a class of a variant": {
    value: (roll) => oneOf(roll, ["wide", "slim"]),
    around: (value) => `<section class="hero ${value}"><p>Words of the section</p></section>`,
  },
};

const sentence = "This sentence was written here by somebody today";
type Edit = (value: string) => string;
const edits: Record<string, Edit> = {
  "before it": (value) => `Edited ${value}`,
  "behind it": (value) => `${value} edited`,
  "inside it": (value) => `${value.slice(0, value.length / 2)} edited ${value.slice(value.length / 2)}`,
  "around it": (value) => `<u>${value}</u>`,
  "in its place": () => sentence,
  "one word in its place": () => "Removed",
  "nothing in its place": () => "",
};
const pages = Array.from({ length: 20 }, (_, index) => index + 1);

describe.each(Object.entries(noises))("%s", (name, { value, around, isAlways }) => {
  const page = (number: number, visit: number, edit: Edit = (same) => same) =>
    `<html><head><title>Page</title></head><body>${around(edit(value(dice(visit * 977 + number), visit)), number)}\n${prose(number)}</body></html>`;
  const learned = learnRules(
    pages.map((number) => ({ path: `/${number}`, older: page(number, number), newer: page(number, number + 40) })),
    () => [],
  ).filter(({ spec, evidence }) => isHeld(spec) && evidence.share <= shareMax);
  const rules = learned.map(({ spec }, index) => compileRule({ ...spec, id: `r${index}`, path: "*", note: "" }));
  const changes = (a: string, b: string) => assess(new LeftPage(a, rules), new LeftPage(b, rules)).changes;
  const visits = fc.integer({ min: 100, max: 4_000 });

  test("rules that need no person hide it", () => {
    expect(learned).not.toEqual([]);
    fc.assert(
      fc.property(fc.constantFrom(...pages), visits, visits, (number, one, other) => {
        expect(changes(page(number, one), page(number, other))).toBe(0);
      }),
      { numRuns: 25, seed: 20 },
    );
  });

  test.each(Object.entries(edits).filter(([kind]) => isAlways !== false || kind !== "nothing in its place"))(
    "an edit is told: %s",
    (_kind, edit) => {
      fc.assert(
        fc.property(fc.constantFrom(...pages), visits, visits, (number, one, other) => {
          // a missing element has no place for an edit
          fc.pre(value(dice(other * 977 + number), other) !== "");
          expect([name, changes(page(number, one), page(number, other, edit))]).not.toEqual([name, 0]);
        }),
        { numRuns: 12, seed: 20 },
      );
    },
  );
});
