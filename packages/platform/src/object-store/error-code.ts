/** Returns the code of an error of the system or of a library, such as "ENOENT", even of errors from another realm, where `instanceof Error` is false. */
export function errorCode(error: unknown): string | undefined {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}
