/** Pretty-prints stored headers where they are valid JSON, else returns them unchanged. Source: specification §2. */
export function prettyHeaders(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Counts the headers in a text; undefined where it is not a JSON object. */
export function headerCount(text: string): number | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? Object.keys(parsed).length
      : undefined;
  } catch {
    return undefined;
  }
}
