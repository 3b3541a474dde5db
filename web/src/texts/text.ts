import { createElement, Fragment } from "react";
import type german from "./de.json";
import { inCatalogue, language } from "./language.js";
import { formatNumber } from "./number.js";
import { once } from "./once.js";

/**
 * A text of a screen, in English: every one has its German in `de.json`, or does not compile. `{name}` is filled in;
 * "one|other" are the forms for a count, chosen by `n`; what follows `~` tells texts apart that are the same in English.
 */
type Text = keyof typeof german;

type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type NamesOf<T extends string> = NamesIn<T> | (T extends `${string}|${string}` ? "n" : never);
/** A text that needs no values: what a table of labels holds, to be given to `t` where it is shown. */
export type Label = { [T in Text]: [NamesOf<T>] extends [never] ? T : never }[Text];
/** What a text needs: nothing, or a value for each of its names; `n` is a number. */
type ValuesOf<T extends string, V> = [NamesOf<T>] extends [never]
  ? []
  : [values: { readonly [Name in NamesOf<T>]: Name extends "n" ? number : V }];

/** A text in the reader's language; numbers are written as they write them. */
export const t = <T extends Text>(text: T, ...[values]: ValuesOf<T, string | number>): string =>
  partsOf(text, values ?? {})
    .map((part) => (typeof part === "number" ? formatNumber(part) : part))
    .join("");

/** A text with elements in it: `rich("Linked on {page}", { page: <code>…</code> })`. */
export const rich = <T extends Text>(text: T, ...[values]: ValuesOf<T, React.ReactNode>): React.ReactNode =>
  createElement(
    Fragment,
    null,
    ...partsOf<React.ReactNode>(text, values ?? {}).map((part) =>
      typeof part === "number" ? formatNumber(part) : part,
    ),
  );

/** What can be counted: "page" where there is "{n} page|{n} pages". */
export type Noun = Text extends infer T ? (T extends `{n} ${infer One}|{n} ${string}` ? One : never) : never;

/** The form of "{n} page|{n} pages" for a count. */
export const counts = (n: number, forms: string): string => partsOf(forms, { n: formatNumber(n) }, n).join("");

/** What is not known when this is compiled, such as labels of contracts: translated where the catalogue has it. */
export const translated = (english: string): string => inCatalogue(english) ?? english;

/** What the server says by a code, filled in: undefined where the catalogue has nothing for it, as in English. */
export const byCode = (code: string, values: Readonly<Record<string, string | number>>): string | undefined =>
  inCatalogue(code) === undefined
    ? undefined
    : partsOf(code, values)
        .map((part) => (typeof part === "number" ? formatNumber(part) : part))
        .join("");

function partsOf<V>(text: string, values: Readonly<Record<string, V>>, count: unknown = values["n"]): (string | V)[] {
  const found = inCatalogue(text) ?? text.replace(/~\w+$/, "");
  const form = found.includes("|") ? formFor(found, count) : found;
  return form.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : isolated(values[part] ?? "")));
}

const fromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Marks that turn what follows them round, as the name of a page may hold them, and that of the sentence with it. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/** A name written from right to left, between marks that keep it from drawing the figures beside it to its other side (Unicode TR 9). */
function isolated<V>(value: V): V | string {
  if (typeof value !== "string") return value;
  const name = value.replaceAll(turning, "");
  return fromRight.test(name) ? `\u2068${name}\u2069` : name;
}

const pluralRules = once((tag) => new Intl.PluralRules(tag));

/** "one|other" in the order of the language's plural categories, which are these two in both languages. */
function formFor(forms: string, count: unknown): string {
  const [one = "", other = one] = forms.split("|");
  return pluralRules(language()).select(Number(count)) === "one" ? one : other;
}
