/** The most characters that are serialised at once. */
const sliceChars = 64 * 1024;

const inPieces = new WeakSet<object>();

/**
 * Marks an answer that may hold megabytes of text, so that it is written in pieces.
 * @returns the same
 */
export function writeInPieces<Answer extends object>(answer: Answer): Answer {
  inPieces.add(answer);
  return answer;
}

/** Whether an answer was marked to be written in pieces. */
export function isInPieces(answer: object): boolean {
  return inPieces.has(answer);
}

/**
 * Serialises a value as JSON in pieces of about 64 Ki characters, so that one of many megabytes does not block the event loop. Joined,
 * the pieces equal what `JSON.stringify` returns, for values of the contract: texts, numbers, lists and plain objects.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  let ready = "";
  for (const part of partsOf(value)) {
    ready += part;
    if (ready.length < sliceChars) continue;
    yield ready;
    ready = "";
  }
  if (ready !== "") yield ready;
}

/** Bytes that the long texts of a value take in memory, at most. */
export function longTextBytes(value: unknown): number {
  if (typeof value === "string") return value.length > sliceChars ? 2 * value.length : 0;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, field: unknown) => sum + longTextBytes(field), 0);
}

function* partsOf(value: unknown): Generator<string> {
  if (typeof value === "string" && value.length > sliceChars) yield* textParts(value);
  else if (Array.isArray(value)) {
    let separator = "[";
    for (const item of value) {
      yield separator;
      yield* partsOf(item ?? null);
      separator = ",";
    }
    yield value.length === 0 ? "[]" : "]";
  } else if (typeof value === "object" && value !== null && !("toJSON" in value)) {
    let separator = "{";
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      yield* partsOf(field);
      separator = ",";
    }
    yield separator === "{" ? "{}" : "}";
  } else yield JSON.stringify(value);
}

function* textParts(text: string): Generator<string> {
  yield '"';
  for (let at = 0; at < text.length;) {
    let end = at + sliceChars;
    // a surrogate pair must not be cut in two, or each half would be escaped
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
