import { api, type Endpoint, type EndpointName, type Input } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import { z } from "zod";
import { subjectOfPath } from "./endpoint-facts.js";
import { notFound } from "./not-found.js";
import { misspeltField, misspeltFields, unknownQuery } from "./unknown-query.js";

/** The parts of a request as they arrive: strings in params and query, any JSON value in the body. */
export interface RawInput {
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
}

/**
 * One fault of a request: `path` is dotted and begins with the part (`body.url`, `query.limit`). With a code and its values a screen
 * says it in the reader's language.
 */
export interface Fault {
  path: string;
  message: string;
  code?: string;
  values?: Readonly<Record<string, string | number>>;
}

/**
 * Parses the three parts of a request with the schemas of an endpoint's row.
 * @throws AppError not_found where a path id cannot identify anything, invalid_input listing every fault of query and body
 */
export function parseInput<N extends EndpointName>(name: N, raw: RawInput): Input<N> {
  const row: Endpoint = api[name];
  const params = row.params.safeParse(raw.params);
  if (!params.success)
    throw notFound(subjectOfPath(row.path), String(raw.params["id"] ?? raw.params["local_path"] ?? ""));
  const asked = withoutEmptyNumbers(row.query, raw.query);
  const query = row.query.safeParse(asked);
  const given = withoutHandedBack(row, raw.body);
  const body = row.body.safeParse(given);
  const faults = [
    ...firstOfFields(faultsOf("query", query, asked)),
    ...firstOfFields(namingMeant(row.body, body.error, faultsOf("body", body, given))),
    ...misplaced(row, raw.body),
    ...(query.success ? unknownQuery(row, raw.query) : []),
    ...(body.success ? misspeltFields(row, raw.body) : []),
    ...textFaults("query", query.data),
    ...textFaults("body", body.data),
  ];
  if (faults.length > 0) throw invalidInput(faults);
  // each part has just been parsed with the schema that its type is inferred from
  return { params: params.data, query: query.data, body: body.data } as Input<N>;
}

/** Removes empty numbers from a query: a form sends a number left empty as an empty text, which coercion would make 0. */
function withoutEmptyNumbers(schema: z.ZodType, query: RawInput["query"]): RawInput["query"] {
  const isEmpty = (value: unknown) => typeof value === "string" && value.trim() === "";
  if (!(schema instanceof z.ZodObject) || !Object.values(query).some(isEmpty)) return query;
  const shape: Record<string, unknown> = schema.shape;
  return Object.fromEntries(
    Object.entries(query).filter(([name, value]) => !(isEmpty(value) && isNumber(shape[name]))),
  );
}

function isNumber(field: unknown): boolean {
  return field instanceof z.ZodDefault || field instanceof z.ZodOptional
    ? isNumber(field.unwrap())
    : field instanceof z.ZodNumber;
}

/**
 * Removes from a PATCH body the fields that are in the answer but cannot be set, so that callers may read a thing, change it and send
 * it back as a whole.
 */
function withoutHandedBack({ method, body: schema, response }: Endpoint, body: unknown): unknown {
  if (method !== "PATCH" || typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const [settable, answered] = [fieldsOf(schema), fieldsOf(response)];
  return Object.fromEntries(Object.entries(body).filter(([name]) => settable.has(name) || !answered.has(name)));
}

/** Reports body fields that the call reads from the query: ignoring `undo_s` in the body of a deletion would begin that at once. */
function misplaced(row: Endpoint, body: unknown): Fault[] {
  if (row.streamsBody || typeof body !== "object" || body === null) return [];
  const [inQuery, inBody] = [fieldsOf(row.query), fieldsOf(row.body)];
  return Object.keys(body)
    .filter((name) => inQuery.has(name) && !inBody.has(name))
    .map((name) => ({ path: `body.${name}`, message: `belongs in the query (?${name}=…), not in the body` }));
}

function fieldsOf(schema: z.ZodType): Set<string> {
  return new Set(schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);
}

/**
 * Makes the error for invalid input.
 * @param faults at least one
 */
export function invalidInput(faults: readonly Fault[]): AppError {
  const [first, ...rest] = faults;
  const more =
    rest.length === 0 ? "" : ` And ${rest.length} more ${rest.length === 1 ? "fault" : "faults"}, see details.`;
  return new AppError(
    "invalid_input",
    `${first?.path.replace(/^(body|query)\./, "") ?? "input"}: ${first?.message ?? "is not valid"}.${more}`,
    { details: faults },
  );
}

function faultsOf(part: string, result: z.ZodSafeParseResult<unknown>, raw: unknown): Fault[] {
  if (result.success) return [];
  return result.error.issues.map((issue) => {
    const path = [part, ...issue.path.map(String)].join(".");
    return { path, message: describeIssue(issue, raw) };
  });
}

/** Keeps the first fault of each field: an empty address is not said to be no address too. What is wrong with a part as a whole stays. */
function firstOfFields(faults: readonly Fault[]): Fault[] {
  const told = new Set<string>();
  return faults.filter(({ path }) => {
    const isFirst = !path.includes(".") || !told.has(path);
    told.add(path);
    return isFirst;
  });
}

/** Replaces the fault of a strict body that has unknown fields: one fault for each that is misspelt, naming the field that was meant, and one for the others. */
function namingMeant(schema: z.ZodType, error: z.ZodError | undefined, faults: readonly Fault[]): Fault[] {
  return faults.flatMap((fault, index) => {
    const issue = error?.issues[index];
    if (issue?.code !== "unrecognized_keys" || issue.path.length > 0) return [fault];
    const misspelt = issue.keys.map((name) => misspeltField(schema, name));
    const keys = issue.keys.filter((_, at) => misspelt[at] === undefined);
    const others = keys.length === 0 ? [] : [{ ...fault, message: describeIssue({ ...issue, keys }, undefined) }];
    return [...misspelt.filter((one) => one !== undefined), ...others];
  });
}

/**
 * Describes a fault, without a full stop.
 * @param raw the value that was parsed, as it came
 */
export function describeIssue(issue: z.core.$ZodIssue, raw: unknown): string {
  return describe(issue, valueAt(raw, issue.path)).replace(/\.$/, "");
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === "invalid_type") {
    if (value !== undefined) return `must be ${withArticle(issue.expected)}, not ${nameOf(value)}`;
    return issue.path.length === 0
      ? "is missing; send a JSON object with the header Content-Type: application/json"
      : `is missing; send ${withArticle(issue.expected)}`;
  }
  if (issue.code === "invalid_value" && issue.values.length > 0)
    return `must be ${issue.values.map((allowed) => JSON.stringify(allowed)).join(" or ")}`;
  if (issue.code === "invalid_format" && issue.format === "uuid") return "must be an id (a UUID) from the API";
  if (issue.code === "invalid_format" && issue.format === "datetime")
    return "must be a time with a time zone, such as 2026-01-31T12:00:00Z";
  if (issue.code === "unrecognized_keys") return `must not have ${issue.keys.map((key) => `“${key}”`).join(", ")}`;
  if (issue.code === "invalid_union") return value === undefined ? "is missing" : `cannot be ${nameOf(value)}`;
  // a message that the schema defines itself says more than the limit
  if (issue.code === "too_big" && issue.message.startsWith("Too big"))
    return `must ${extent(issue.origin, issue.maximum, "most")}`;
  if (issue.code === "too_small" && issue.message.startsWith("Too small"))
    return `must ${extent(issue.origin, issue.minimum, "least")}`;
  return issue.message;
}

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
};

function extent(origin: string, limit: number | bigint, which: "most" | "least"): string {
  const [one, many] = units[origin] ?? [];
  const unit = Number(limit) === 1 ? one : many;
  return unit === undefined ? `be at ${which} ${limit}` : `have at ${which} ${limit} ${unit}`;
}

function withArticle(type: string): string {
  const word = type === "int" ? "whole number" : type;
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  // coercion makes NaN of a text that is no number
  if (typeof value === "number" && Number.isNaN(value)) return "something that is not a number";
  // JSON can write numbers beyond the range of doubles
  if (value === Infinity || value === -Infinity) return "one that is too large";
  return typeof value === "string" ? `the text ${JSON.stringify(value.slice(0, 40))}` : withArticle(typeof value);
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = raw;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/**
 * Reports texts with U+0000 or half a surrogate pair, which PostgreSQL cannot store; here the field is still known. Walks without
 * recursion, because a body may be nested deeper than the stack.
 */
function textFaults(part: string, parsed: unknown): Fault[] {
  const faults: Fault[] = [];
  const found = [{ path: part, value: parsed }];
  for (const { path, value } of found) {
    if (typeof value === "string") {
      if (value.includes("\0")) faults.push({ path, message: "must not contain the character U+0000" });
      else if (!value.isWellFormed())
        faults.push({ path, message: "must not contain half a surrogate pair (a \\ud800 to \\udfff alone)" });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) found.push({ path: `${path}.${key}`, value: inner });
    }
  }
  return faults;
}
