import type { Endpoint } from "@web-tester/contracts/api";
import { z } from "zod";

/** The parameters for paging; each list has one of them. */
const paging: ReadonlySet<string> = new Set(["offset", "skip", "cursor", "page"]);

/**
 * Returns faults for query parameters that a call does not have. Calls that change something accept none: `undo=60` for `undo_s` would delete at once. Calls
 * that read ignore unknown parameters, as clients add their own, except those that were probably meant as one of theirs: `limti=5` or `testobject_id` for
 * `testObjectId` would return everything, and `offset` for `cursor` the first page again and again. Names that begin with `_` (cache busters) are always ignored.
 */
export function unknownQuery(
  { method, query: schema }: Endpoint,
  query: Readonly<Record<string, unknown>>,
): { path: string; message: string }[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const known = Object.keys(schema.shape);
  return Object.entries(query).flatMap(([name, value]) => {
    if (known.includes(name) || name.startsWith("_") || isFirstPage(name, value)) return [];
    const meant =
      known.find((one) => isAlike(name, one)) ?? (paging.has(name) ? known.find((one) => paging.has(one)) : undefined);
    if (meant === undefined && method === "GET") return [];
    const instead =
      meant === undefined ? (known.length === 0 ? "it has none" : `it has ${known.join(", ")}`) : `“${meant}” is`;
    return [{ path: `query.${name.slice(0, 100)}`, message: `is not a parameter of this call; ${instead}` }];
  });
}

/**
 * Returns faults for body fields that were probably meant as one of the call's: `keep_day` for `keep_days` would be left out without a word. Other unknown
 * fields are ignored, as clients add their own, and so are those that the call's answer has. Strict bodies refuse every unknown field themselves.
 */
export function misspeltFields(
  { body: schema, response }: Endpoint,
  body: unknown,
): { path: string; message: string }[] {
  if (!(schema instanceof z.ZodObject) || typeof body !== "object" || body === null) return [];
  if (schema.def.catchall instanceof z.ZodNever) return [];
  const known = Object.keys(schema.shape);
  const answered = response instanceof z.ZodObject ? Object.keys(response.shape) : [];
  return Object.keys(body).flatMap((name) => {
    if (known.includes(name) || answered.includes(name)) return [];
    const fault = misspeltField(schema, name);
    return fault === undefined ? [] : [fault];
  });
}

/** Returns the fault of a body's field that the call does not have; undefined where it is not clear which of the call's fields was meant. */
export function misspeltField(schema: z.ZodType, name: string): { path: string; message: string } | undefined {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const meant = known.find((one) => isTypo(bare(name), bare(one)));
  if (meant === undefined) return undefined;
  return { path: `body.${name.slice(0, 100)}`, message: `is not a field of this call; “${meant}” is` };
}

/** Whether a parameter asks for the first page, which every list starts with anyway. */
const isFirstPage = (name: string, value: unknown): boolean =>
  paging.has(name) && (value === "" || value === "0" || (name === "page" && value === "1"));

/** Whether a parameter was probably meant as another: a typo of it (or `limit[]`), or a part of its name. */
function isAlike(name: string, known: string): boolean {
  const [a, b] = [bare(name), bare(known)];
  return isTypo(a, b) || (a.length >= 4 && b.length <= 30 && (b.startsWith(a) || b.endsWith(a)));
}

/** Whether two bare names differ by case and punctuation only (`testobjectid`), or by one or two typos. */
function isTypo(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  if (a === b) return true;
  return shorter >= 4 && Math.max(a.length, b.length) <= 30 && slips(a, b) <= (shorter < 6 ? 1 : 2);
}

const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Returns the edit distance of two names, swapped neighbours included (optimal string alignment). */
function slips(a: string, b: string): number {
  let [before, last] = [Array<number>(b.length + 1).fill(0), Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const other = a[i - 1] === b[j - 1] ? 0 : 1;
      const costs = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + other];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) costs.push((before[j - 2] ?? 0) + 1);
      row.push(Math.min(...costs));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
