import { setTimeout as sleep } from "node:timers/promises";

const patienceMs = 60_000;
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Sends a request, and retries it when that is safe and useful. */
export type Patience = (isRead: boolean, ask: () => Promise<Response>) => Promise<Response>;

/**
 * Creates the retry policy of a long check, which a restart of the gateway must not break: a server that has answered before gets a minute
 * to come back. Requests that change something are not retried, because they may have been carried out; but requests that never reached a
 * server, or were refused by the rate limit, are always retried.
 * @param pauseMs pause between two attempts, if the server sends no Retry-After
 */
export function createPatience(signal: AbortSignal, pauseMs = 1_000): Patience {
  let hasAnswered = false;
  return async (isRead, ask) => {
    const until = Date.now() + patienceMs;
    for (;;) {
      const answer = await ask().catch((error: unknown) => {
        const isForAgain = hasAnswered && (isRead || wasRefused(error));
        if (!isForAgain || signal.aborted || Date.now() > until) throw error;
        return null;
      });
      if (answer !== null) {
        if (answer.status < 500) hasAnswered = true;
        const isRefusedForNow = answer.status === 429 || (isRead && awayStatuses.has(answer.status));
        if (!isRefusedForNow || Date.now() > until) return answer;
        await answer.body?.cancel();
      }
      await sleep(saidPause(answer) ?? pauseMs, undefined, { signal });
    }
  };
}

/** Whether the connection was refused on every address of the host name, so that nothing was sent. */
function wasRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(wasRefused);
  return ("code" in error && error.code === "ECONNREFUSED") || wasRefused(error.cause);
}

/** Returns the milliseconds of `Retry-After: SECONDS`, at most a minute; null when there is none. */
function saidPause(answer: Response | null): number | null {
  const said = answer?.headers.get("retry-after") ?? "";
  return /^\d+$/.test(said) ? Math.min(Number(said) * 1_000, patienceMs) : null;
}
