import type { DiffHunk } from "@web-tester/contracts/entities/compare";
import type { ContentForm, DiffType } from "@web-tester/contracts/entities/vocabulary";
import { compare } from "@web-tester/diff/compare";
import { formattedForm } from "@web-tester/html/forms/formatted-form";
import { textForm } from "@web-tester/html/forms/text-form";

/** Two pasted contents and how to compare them. */
export interface Contents {
  readonly a: string;
  readonly b: string;
  /** The form in which they are compared: as pasted, or converted as HTML. */
  readonly as: ContentForm;
  readonly by: DiffType;
  readonly context: number;
}

/** The result, as the diff view shows it. */
export interface Compared {
  readonly by: DiffType;
  readonly as: ContentForm;
  /** B in that form, from which folded unchanged lines are taken. */
  readonly bText: string;
  readonly a: { readonly lines: number };
  readonly b: { readonly lines: number };
  readonly identical: boolean;
  /** Whether a limit was reached: the difference is correct, but not the smallest, or not complete. */
  readonly coarse: boolean;
  readonly added: number;
  readonly removed: number;
  readonly changes: number;
  readonly hunks: DiffHunk[];
}

/** After this time the search for the smallest difference ends, so that the result is coarser instead of later. */
const searchLimitMs = 6_000;
/** More lines than a person reads, and few enough to be passed to the page at once. */
const maxHunkLines = 300_000;

/** Compares two pasted contents. Long contents take long, so call it in a worker. */
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
