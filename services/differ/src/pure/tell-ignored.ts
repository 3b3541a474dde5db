import type { DiffHunk } from "@web-tester/contracts/entities/compare";
import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import { keptFormattedLines } from "@web-tester/html/forms/kept-forms";
import { type FormLines, sourceLines } from "@web-tester/html/forms/form-lines";
import { textLines } from "@web-tester/html/forms/text-form";
import { assess, sourceOf } from "@web-tester/signal/compare/assess";
import { LeftPage } from "@web-tester/signal/compare/left-page";
import type { Ranges } from "@web-tester/signal/compare/ranges";
import type { Mask } from "@web-tester/signal/mask/mask-page";
import type { Asked } from "./pair-signal.js";
import { rulesFor } from "./pair-signal.js";

/** Which changed blocks count, and which do not; their lines are marked (`ignored`). */
interface Told {
  significant: number;
  ignored: number;
  notApplied: { rule: string; reason: string }[];
}

/** The lines of a page in a form, and where they begin in the page. */
export function linesIn(html: string, form: ContentForm): FormLines {
  return form === "source" ? sourceLines(html) : form === "formatted" ? keptFormattedLines(html) : textLines(html);
}

/** Marks the changed lines that do not count. @param hunks are changed */
export function tellIgnored(a: string, b: string, form: ContentForm, hunks: readonly DiffHunk[], asked: Asked): Told {
  const rules = rulesFor(asked);
  const sides = [new LeftPage(a, rules), new LeftPage(b, rules)] as const;
  const { inA, inB } = assess(...sides);
  const old = new Side(linesIn(a, form), a.length, inA, sides[0].mask);
  const fresh = new Side(linesIn(b, form), b.length, inB, sides[1].mask);
  const told: Told = { significant: 0, ignored: 0, notApplied: notApplied(sides[0].mask, sides[1].mask) };
  for (const { aStart, bStart, lines } of hunks) {
    let [aNo, bNo] = [Math.max(1, aStart), Math.max(1, bStart)];
    /** Whether lines of the block that is read change something, and whether one of them counts. */
    let block: "none" | "ignored" | "significant" = "none";
    const endBlock = (): void => {
      if (block !== "none") told[block] += 1;
      block = "none";
    };
    for (const line of lines) {
      if (line.kind === "context") {
        endBlock();
        aNo += 1;
        bNo += 1;
        continue;
      }
      const rule = line.kind === "removed" ? old.ignoredBy(aNo++) : fresh.ignoredBy(bNo++);
      if (rule === null) block = "significant";
      else {
        line.ignored = rule;
        if (block === "none") block = "ignored";
      }
    }
    endBlock();
  }
  return told;
}

class Side {
  constructor(
    readonly lines: FormLines,
    readonly length: number,
    readonly counted: Ranges,
    readonly mask: Mask,
  ) {}

  /** The rule by which a line does not count, empty where white space alone differs; null where it counts. @param no from 1 */
  ignoredBy(no: number): string | null {
    const [from, to] = sourceOf(this.lines, no - 1, 1, this.length);
    if (this.counted.overlap(from, to)) return null;
    const masked = this.mask.masked.find((range) => range.from < to && from < range.to);
    const ordered = this.mask.orders.find(({ items }) => items.some(([start, end]) => start < to && from < end));
    return masked?.rule ?? ordered?.rule ?? "";
  }
}

function notApplied(...masks: readonly Mask[]): Told["notApplied"] {
  const all = masks.flatMap((mask) => mask.notApplied);
  return [...new Map(all.map((each) => [each.rule, { ...each }])).values()];
}
