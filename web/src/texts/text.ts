import { turning } from "@web-tester/contracts/text-direction";
import { createElement, Fragment } from "react";
import type german from "./de.json";
import { inCatalogue, language } from "./language.js";
import { formatNumber } from "./number.js";
import { once } from "./once.js";

/**
 * A text of a screen, in English; without a German translation in `de.json` it does not compile. `{name}` is a placeholder;
 * "one|other" are the forms for a count, chosen by `n`; what follows `~` distinguishes texts that are the same in English.
 */
type Text = keyof typeof german;

type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type NamesOf<T extends string> = NamesIn<T> | (T extends `${string}|${string}` ? "n" : never);
/** A text without placeholders, for tables of labels; it is passed to `t` where it is shown. */
export type Label = { [T in Text]: [NamesOf<T>] extends [never] ? T : never }[Text];
/** The values that a text needs: none, or one for each of its placeholders; `n` is a number. */
type ValuesOf<T extends string, V> = [NamesOf<T>] extends [never]
  ? []
  : [values: { readonly [Name in NamesOf<T>]: Name extends "n" ? number : V }];

/** Returns a text in the reader's language, with numbers formatted for it. */
export const t = <T extends Text>(text: T, ...[values]: ValuesOf<T, string | number>): string =>
  partsOf(text, values ?? {})
    .map((part) => (typeof part === "number" ? formatNumber(part) : part))
    .join("");

/** Returns a text with elements in it: `rich("Linked on {page}", { page: <code>…</code> })`. */
export const rich = <T extends Text>(text: T, ...[values]: ValuesOf<T, React.ReactNode>): React.ReactNode =>
  createElement(
    Fragment,
    null,
    ...partsOf<React.ReactNode>(text, values ?? {}).map((part) =>
      typeof part === "number" ? formatNumber(part) : part,
    ),
  );

/** A noun that can be counted: "page" where there is the text "{n} page|{n} pages". */
export type Noun = Text extends infer T ? (T extends `{n} ${infer One}|{n} ${string}` ? One : never) : never;

/** The form of a text like "{n} page|{n} pages" for a count. */
export const counts = (n: number, forms: string): string => partsOf(forms, { n: formatNumber(n) }, n).join("");

/** Translates texts that are unknown when this is compiled, such as labels of contracts, where the catalogue has them. */
export const translated = (english: string): string => inCatalogue(english) ?? english;

/** Returns the catalogue's text for a server's code, with values filled in; undefined where there is none, as in English. */
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

/**
 * Wraps a name that is written from right to left in isolates, so that it does not move the figures beside it to its other side
 * (Unicode TR 9). Controls that turn the text after them are left out, as they would turn the whole sentence.
 */
function isolated<V>(value: V): V | string {
  if (typeof value !== "string") return value;
  const name = value.replaceAll(turning, "");
  return fromRight.test(name) ? `\u2068${name}\u2069` : name;
}

const pluralRules = once((tag) => new Intl.PluralRules(tag));

/** Chooses from "one|other" by the language's plural category; both languages have these two. */
function formFor(forms: string, count: unknown): string {
  const [one = "", other = one] = forms.split("|");
  return pluralRules(language()).select(Number(count)) === "one" ? one : other;
}
