// @ts-check
/**
 * The stack cannot start, for a reason the person can do something about. The message is one line: what is wrong, with
 * what, and what to do next.
 */
export class StartError extends Error {
  /**
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(message, options) {
    super(message, options);
    this.name = "StartError";
  }
}

/**
 * The `code` of a system error (`EACCES`, `ECONNREFUSED`, SQLSTATE …), or "".
 * @param {unknown} error
 * @returns {string}
 */
export function codeOf(error) {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}

/**
 * What an error says, on one line. Errors with several causes (a host with two addresses) say the first one.
 * @param {unknown} error
 * @returns {string}
 */
export function wordsOf(error) {
  if (error instanceof AggregateError && error.errors.length > 0) return wordsOf(error.errors[0]);
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, " ").trim();
}
