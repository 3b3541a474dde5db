const secretName =
  /authorization|cookie|passw(or)?d|passphrase|token|secret|api[-_]?key|access[-_]?key|credential|private[-_]?key/i;
/** Written in place of a secret. */
export const placeholder = "[redacted]";
/** Deeper than anything that the product logs on purpose; values below are dropped. */
const maxDepth = 6;

/**
 * Returns a copy of a log field without secrets: values whose names suggest secrets are replaced at any depth, errors become plain objects.
 * Class instances other than errors, dates and byte arrays are copied by their own enumerable fields.
 * @param name the field's name
 * @param describeError turns an error into a plain object
 */
export function redactValue(name: string, value: unknown, describeError: (error: Error) => object, depth = 0): unknown {
  // booleans and numbers such as `authEnabled: true` or `tokens: 3` reveal nothing
  if (
    secretName.test(name) &&
    value !== null &&
    value !== undefined &&
    typeof value !== "boolean" &&
    typeof value !== "number"
  ) {
    return placeholder;
  }
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= maxDepth) return "[too deep]";
  if (Array.isArray(value)) return redactList(value, describeError, depth);
  const fields = value instanceof Error ? describeError(value) : value;
  return Object.fromEntries(
    Object.entries(fields).map(([key, inner]) => [key, redactValue(key, inner, describeError, depth + 1)]),
  );
}

/** Redacts a list; in lists of header names and values, such as Node's `rawHeaders`, each value follows its name. */
function redactList(list: readonly unknown[], describeError: (error: Error) => object, depth: number): unknown[] {
  return list.map((value, index) => {
    const before: unknown = list[index - 1];
    const name = typeof value === "string" && typeof before === "string" && before.length <= 64 ? before : "";
    return redactValue(name, value, describeError, depth + 1);
  });
}

/**
 * Returns a JSON line in which text values whose names suggest secrets, user names and passwords in addresses, and bearer or basic
 * credentials are replaced. The last safety net, also for what `redactValue` never sees, such as the bindings of child loggers. Takes time
 * linear in the length of the line whatever it holds.
 */
export function redactText(line: string): string {
  const named = secretName.test(line)
    ? line.replace(/"([^"\\]{1,64})":"(?:[^"\\]|\\.)*"/g, (field, name: string) =>
        secretName.test(name) ? `"${name}":"${placeholder}"` : field,
      )
    : line;
  return named
    .replace(/:\/\/[^\s/"@]{1,4096}@/g, `://${placeholder}@`)
    .replace(/\b(bearer|basic) [\w.~+/=-]{8,}/gi, `$1 ${placeholder}`);
}
