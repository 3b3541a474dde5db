/** Headers of a response by lower-case name; one that came several times has a list, in order. */
export type HeaderRecord = Record<string, string | string[]>;

/** Collects headers as received into a record. Safe against names such as `__proto__`. */
export function recordHeaders(headers: readonly [string, string][]): HeaderRecord {
  const record = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = record.get(key);
    if (before === undefined) record.set(key, value);
    else if (typeof before === "string") record.set(key, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(record);
}

/** Returns all values of a header joined by commas, as RFC 9110 §5.3 reads them; null where the header is missing. */
export function joinedHeader(headers: HeaderRecord, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined) return null;
  return typeof value === "string" ? value : value.join(", ");
}

/** Returns the last value of a header that should come once; null where the header is missing. */
export function lastHeader(headers: HeaderRecord, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined) return null;
  return typeof value === "string" ? value : (value.at(-1) ?? null);
}

/** Returns the announced length of the body in bytes; NaN where there is none. */
export function contentLength(headers: HeaderRecord): number {
  const value = lastHeader(headers, "content-length");
  return value !== null && /^\d+$/.test(value) ? Number(value) : Number.NaN;
}
