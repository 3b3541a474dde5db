/** Messages by error code. Looking up a name opens files; it fails with EBUSY when none can be opened. */
const words: Record<string, string> = {
  EMFILE: "This process has no file handle left to connect with: raise its limit of open files (ulimit -n)",
  ENFILE: "This machine has no file handle left to connect with: raise the system's limit of open files",
  EBUSY: "This process has no file handle left to look a name up with: raise its limit of open files (ulimit -n)",
};

/**
 * Recognises connections that failed because of this machine, not the server: there was no file handle left.
 * @returns what is wrong and what to do, a sentence without its full stop; undefined for other errors
 */
export function lackOfHandles(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("code" in error && typeof error.code === "string" && error.code in words) return words[error.code];
  if ("errors" in error && Array.isArray(error.errors)) return lackOfHandles(error.errors[0]);
  return "cause" in error ? lackOfHandles(error.cause) : undefined;
}
