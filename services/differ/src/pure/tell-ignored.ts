import type { DiffHunk, DiffLine } from "@web-tester/contracts/entities/compare";
import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import { keptFormattedLines } from "@web-tester/html/forms/kept-forms";
import { type FormLines, sourceLines } from "@web-tester/html/forms/form-lines";
import { textLines } from "@web-tester/html/forms/text-form";
import { assess, sourceOf } from "@web-tester/signal/compare/assess";
import { LeftPage } from "@web-tester/signal/compare/left-page";
import { Ranges } from "@web-tester/signal/compare/ranges";
import type { Mask } from "@web-tester/signal/mask/mask-page";
import type { Range } from "@web-tester/signal/mask/page";
import type { Asked } from "./pair-signal.js";
import { rulesFor } from "./pair-signal.js";

/** How many changed blocks count and how many do not; the lines of the latter are marked (`ignored`). */
interface Told {
  significant: number;
  ignored: number;
  notApplied: { rule: string; reason: string }[];
}

/** Returns the lines of a page in a form, and where they begin in the page. */
export function linesIn(html: string, form: ContentForm): FormLines {
  return form === "source" ? sourceLines(html) : form === "formatted" ? keptFormattedLines(html) : textLines(html);
}

/** Marks the changed lines that do not count. @param hunks are modified */
export function tellIgnored(a: string, b: string, form: ContentForm, hunks: readonly DiffHunk[], asked: Asked): Told {
  const rules = rulesFor(asked);
  const sides = [new LeftPage(a, rules), new LeftPage(b, rules)] as const;
  const { inA, inB } = assess(...sides);
  const old = new Side(linesIn(a, form), sides[0], inA);
  const fresh = new Side(linesIn(b, form), sides[1], inB);
  const told: Told = { significant: 0, ignored: 0, notApplied: notApplied(sides[0].mask, sides[1].mask) };
  const quiet: ChangedLine[][] = [];
  const sideOf = ({ line: { kind } }: ChangedLine) => (kind === "removed" ? old : fresh);
  for (const block of changedBlocks(hunks)) {
    let counts = false;
    for (const changed of block) {
      const rule = sideOf(changed).ignoredBy(changed.no);
      if (rule === null) counts = true;
      else changed.line.ignored = rule;
    }
    if (counts) told.significant += 1;
    else quiet.push(block);
  }
  const isMissed = old.hasMissed || fresh.hasMissed;
  for (const block of quiet) {
    const left = isMissed ? block.map((changed) => sideOf(changed).leftOf(changed.no)) : [];
    const ofKind = (wanted: DiffLine["kind"]) => left.filter((_, index) => block[index]?.line.kind === wanted).join("");
    if (ofKind("removed") === ofKind("added")) told.ignored += 1;
    else {
      for (const [index, { line }] of block.entries()) if (left[index] !== "") delete line.ignored;
      told.significant += 1;
    }
  }
  return told;
}

/** A changed line, and its number on its side, from 1. */
interface ChangedLine {
  line: DiffLine;
  no: number;
}

/** Changed lines that follow one another. */
function* changedBlocks(hunks: readonly DiffHunk[]): Iterable<ChangedLine[]> {
  for (const { aStart, bStart, lines } of hunks) {
    let [aNo, bNo] = [Math.max(1, aStart), Math.max(1, bStart)];
    let block: ChangedLine[] = [];
    for (const line of lines) {
      if (line.kind !== "context") {
        block.push({ line, no: line.kind === "removed" ? aNo++ : bNo++ });
        continue;
      }
      if (block.length > 0) yield block;
      block = [];
      aNo += 1;
      bNo += 1;
    }
    if (block.length > 0) yield block;
  }
}

/** Matches tags, and those that begin before a line or end behind it. */
const tags = /<[^<>]*(?:>|$)|^[^<>]*>/g;

class Side {
  readonly #shown: Range[] = [];

  constructor(
    readonly lines: FormLines,
    readonly page: LeftPage,
    readonly counted: Ranges,
  ) {}

  /**
   * Returns the rule that makes a line not count, empty where white space alone differs; null where the line counts.
   * @param no from 1
   */
  ignoredBy(no: number): string | null {
    const [from, to] = this.#rangeOf(no);
    this.#shown.push([from, to]);
    if (this.counted.overlap(from, to)) return null;
    const masked = this.page.mask.masked.find((range) => range.from < to && from < range.to);
    return masked?.rule ?? this.#orderAt(from, to)?.rule ?? this.page.textRule ?? "";
  }

  /**
   * Returns what rules leave of a line, without white space; nothing where a rule ignores the order at this line.
   * @param no from 1
   */
  leftOf(no: number): string {
    const [from, to] = this.#rangeOf(no);
    if (this.#orderAt(from, to) !== undefined) return "";
    const { html, mask, textRule } = this.page;
    const masked = mask.masked.filter((range) => range.from < to && from < range.to);
    let left = "";
    let at = from;
    for (const range of masked) {
      left += html.slice(at, Math.max(at, range.from));
      at = Math.max(at, range.to);
    }
    left += html.slice(at, Math.max(at, to));
    return (textRule === null ? left : left.replaceAll(tags, "")).replaceAll(/\s+/g, "");
  }

  #rangeOf(no: number): [number, number] {
    return sourceOf(this.lines, no - 1, 1, this.page.html.length);
  }

  #orderAt(from: number, to: number): Mask["orders"][number] | undefined {
    return this.page.mask.orders.find(({ items }) => items.some(([start, end]) => start < to && from < end));
  }

  /**
   * Whether something counts outside of the lines that were asked for: of two equal lines, one comparison may take the
   * first for new, and the other the second.
   */
  get hasMissed(): boolean {
    const shown = new Ranges(this.#shown);
    return this.counted.some((from, to) => !shown.overlap(from, to));
  }
}

function notApplied(...masks: readonly Mask[]): Told["notApplied"] {
  const all = masks.flatMap((mask) => mask.notApplied);
  return [...new Map(all.map((each) => [each.rule, { ...each }])).values()];
}
