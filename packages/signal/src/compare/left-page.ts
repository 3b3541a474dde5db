import { keptFormattedLines } from "@web-tester/html/forms/kept-forms";
import { textLines } from "@web-tester/html/forms/text-form";
import type { FormLines } from "@web-tester/html/forms/form-lines";
import { type Mask, maskPage } from "../mask/mask-page.js";
import type { Range } from "../mask/page.js";
import { LeftPlaces, whatIsLeft } from "../mask/what-is-left.js";
import type { CompiledRule } from "../rules/compile-rule.js";

/** A page without what rules leave out, an element per line: the form in which it is compared. */
export class LeftPage {
  readonly mask: Mask;
  readonly lines: FormLines;
  readonly #places: LeftPlaces;
  readonly #length: number;

  /** The rule because of which only what a reader gets counts; null where there is none. */
  readonly textRule: string | null;

  /** @param rules those that hold for the page @param form `text` where only what a reader gets is compared, whatever the rules say */
  constructor(
    readonly html: string,
    rules: readonly CompiledRule[],
    form?: "text",
  ) {
    this.mask = maskPage(html, rules);
    this.textRule = rules.find(({ isText }) => isText)?.id ?? null;
    const left = whatIsLeft(html, this.mask);
    this.lines = form === "text" || this.textRule !== null ? textLines(left.text) : keptFormattedLines(left.text);
    this.#places = new LeftPlaces(left);
    this.#length = left.text.length;
  }

  /** Whether no rule had an effect on this page. */
  get isWhole(): boolean {
    return this.mask.masked.length === 0 && this.mask.orders.length === 0 && this.textRule === null;
  }

  /** The page without what rules leave out. */
  get text(): string {
    return this.#places.left.text;
  }

  /** The page without what rules name, even where a `keep` rule leaves less of it. */
  get textBesideNamed(): string {
    const { mask, html } = this;
    return mask.named === mask.masked ? this.text : whatIsLeft(html, { ...mask, masked: mask.named }).text;
  }

  /** Returns the parts of the page that some of these lines come from. @param from, to 0-based, end exclusive */
  partsOf(from: number, to: number): Range[] {
    const { starts } = this.lines;
    return from >= to
      ? []
      : this.#places.partsOf(from === 0 ? 0 : (starts[from] ?? this.#length), starts[to] ?? this.#length);
  }
}
