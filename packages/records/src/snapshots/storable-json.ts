/** Returns JSON text that PostgreSQL accepts: jsonb refuses NUL and lone surrogates, which servers can send in headers and addresses. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // both appear as escapes in the text; checking every string on its own would cost ten times as much
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "string" ? item.replaceAll("\0", "").toWellFormed() : item,
  );
}
