/** JSON text that PostgreSQL takes: it refuses NUL and lone surrogates in jsonb, which servers can send in headers and addresses. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // both come out as escapes; looking at every string one by one costs ten times as much
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "string" ? item.replaceAll("\0", "").toWellFormed() : item,
  );
}
