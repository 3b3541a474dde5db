import { api, type EndpointName } from "@web-tester/contracts/api";
import { diffHunk, diffHunks, type DiffLine } from "@web-tester/contracts/entities/compare";
import { z } from "zod";

const kinds: ReadonlySet<unknown> = new Set<DiffLine["kind"]>(["context", "removed", "added"]);

/**
 * Whether a value matches the schema of a diff's lines. Written by hand, because a diff has tens of thousands of lines and zod must
 * not compile its parsers in a page (see csp-safe-zod.ts): 30,000 lines took it 130 ms.
 */
export function areDiffLines(value: unknown): value is DiffLine[] {
  return Array.isArray(value) && value.every(isDiffLine);
}

function isDiffLine(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { kind, text, marks, noEol } = value as Partial<Record<keyof DiffLine, unknown>>;
  return (
    kinds.has(kind) &&
    typeof text === "string" &&
    (marks === undefined || (Array.isArray(marks) && marks.every(isRange))) &&
    (noEol === undefined || noEol === true)
  );
}

const isRange = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && Number.isSafeInteger(value[0]) && Number.isSafeInteger(value[1]);

const quick: { readonly [N in EndpointName]?: z.ZodType } = {
  getDiffHunks: diffHunks.extend({
    hunks: z.array(diffHunk.extend({ lines: z.custom<DiffLine[]>(areDiffLines) })),
  }),
};

/** The schema that parses the answer of an endpoint: the one of its row in the table, or an equivalent that is faster. */
export const answerSchema = (name: EndpointName): z.ZodType => quick[name] ?? api[name].response;
