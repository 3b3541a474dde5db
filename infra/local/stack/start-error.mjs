// @ts-check
/** The stack cannot start, for a reason that the user can do something about. The message is one line: what is wrong, with which part, and what to do next. */
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
 * Returns the `code` of a system error (`EACCES`, `ECONNREFUSED`, SQLSTATE …), or "".
 * @param {unknown} error
 * @returns {string}
 */
export function codeOf(error) {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}

/**
 * Returns the message of an error on one line. For an error with several causes (a host with two addresses) it is that of the first one.
 * @param {unknown} error
 * @returns {string}
 */
export function wordsOf(error) {
  if (error instanceof AggregateError && error.errors.length > 0) return wordsOf(error.errors[0]);
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, " ").trim();
}
