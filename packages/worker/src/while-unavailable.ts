import { AppError } from "@web-tester/contracts/errors";

const firstDelayMs = 200;
const maxDelayMs = 3_000;

/**
 * Repeats `work` while database, bus or object store is unavailable, so that a short outage costs a wait and not the work already done. Any
 * other error is thrown at once.
 * @param maxMs gives up after this long, with the last error
 */
export async function whileUnavailable<Result>(
  work: () => Promise<Result>,
  maxMs: number,
  signal: AbortSignal,
): Promise<Result> {
  // not the wall clock: one that is set back would make this wait for as long as it was set back
  const end = performance.now() + maxMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(maxDelayMs, delayMs * 2)) {
    try {
      return await work();
    } catch (error) {
      if (
        !(error instanceof AppError) ||
        error.code !== "unavailable" ||
        performance.now() + delayMs > end ||
        signal.aborted
      )
        throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}
