import type { DiffHunk } from "@web-tester/contracts/entities/compare";
import type { ContentForm, DiffType } from "@web-tester/contracts/entities/vocabulary";
import { compare } from "@web-tester/diff/compare";
import { formattedForm } from "@web-tester/html/forms/formatted-form";
import { textForm } from "@web-tester/html/forms/text-form";

/** Two pasted contents and how to compare them. */
export interface Contents {
  readonly a: string;
  readonly b: string;
  /** As pasted, or what that form makes of it as HTML. */
  readonly as: ContentForm;
  readonly by: DiffType;
  readonly context: number;
}

/** What the diff view draws. */
export interface Compared {
  readonly by: DiffType;
  readonly as: ContentForm;
  /** B in that form, for unchanged lines that are opened. */
  readonly bText: string;
  readonly a: { readonly lines: number };
  readonly b: { readonly lines: number };
  readonly identical: boolean;
  /** A limit was hit: correct, but not the smallest difference, or not all of it. */
  readonly coarse: boolean;
  readonly added: number;
  readonly removed: number;
  readonly changes: number;
  readonly hunks: DiffHunk[];
}

/** Searching longer than this makes the answer coarser, not later. */
const searchLimitMs = 6_000;
/** More lines than a person reads, and few enough to travel to the page at once. */
const maxHunkLines = 300_000;

/** The difference of two pasted contents. Long input takes long: call it in a worker. */
export function compareContents({ a, b, as, by, context }: Contents): Compared {
  const bText = inForm[as](b);
  const result = compare(inForm[as](a), bText, { by, context, limits: { timeMs: searchLimitMs, maxHunkLines } });
  return {
    by,
    as,
    bText,
    a: { lines: result.aLines },
    b: { lines: result.bLines },
    identical: result.identical,
    coarse: result.coarse || result.truncated,
    added: result.added,
    removed: result.removed,
    changes: result.changes,
    hunks: result.hunks,
  };
}

const inForm: Record<ContentForm, (html: string) => string> = {
  source: (html) => html,
  formatted: formattedForm,
  text: textForm,
};
