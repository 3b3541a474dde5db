/**
 * Waits until `look` returns something other than undefined or false, calling it ten times a second.
 * @param what completes the sentence "… did not happen within"
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 60_000,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`${what} did not happen within ${timeoutMs / 1000} s`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
