import { setTimeout as sleep } from "node:timers/promises";

const patienceMs = 60_000;
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Asks, and asks again where that is of use. */
export type Patience = (isRead: boolean, ask: () => Promise<Response>) => Promise<Response>;

/**
 * A check of many pages asks for as long as it runs: what goes on meanwhile, such as a restart of the gateway, shall not make it fail. So a server that
 * has answered before has a minute to come back. What changes something is asked once, as it may have been done; but what never reached a server,
 * or was refused for being one of too many, is asked again in any case.
 * @param pauseMs between two attempts, where the server does not say when
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

/** Whether nobody took the connection, on none of the addresses that a name has: then nothing was sent. */
function wasRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(wasRefused);
  return ("code" in error && error.code === "ECONNREFUSED") || wasRefused(error.cause);
}

/** Milliseconds of `Retry-After: SECONDS`, a minute at most. */
function saidPause(answer: Response | null): number | null {
  const said = answer?.headers.get("retry-after") ?? "";
  return /^\d+$/.test(said) ? Math.min(Number(said) * 1_000, patienceMs) : null;
}
