import { AppError } from "@web-tester/contracts/errors";

const firstDelayMs = 200;
const maxDelayMs = 3_000;

/**
 * Repeats `work` while database, bus or object store is away, so that a short outage costs a wait and not the work that
 * is done already. Any other error ends it at once.
 * @param maxMs gives up, with the last error, after this long
 */
export async function whileUnavailable<Result>(
  work: () => Promise<Result>,
  maxMs: number,
  signal: AbortSignal,
): Promise<Result> {
  const end = Date.now() + maxMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(maxDelayMs, delayMs * 2)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable" || Date.now() + delayMs > end || signal.aborted)
        throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}
