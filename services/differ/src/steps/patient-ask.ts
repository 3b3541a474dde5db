import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than any question to a fetcher may take, so that one that died with its fetcher is asked once more. */
const patienceMs = 150_000;
const againMs = 1_000;

/**
 * Returns an `ask` for questions that can wait: while nobody answers, as while fetchers start again, it asks again. After two and a half
 * minutes without any answer to that question it does not wait any longer, and fails as the bus does.
 * @param signal aborted when the process is to end; nothing is asked again then
 */
export function createPatientAsk(bus: Pick<Bus, "ask">, signal: AbortSignal): Bus["ask"] {
  const silentSince = new Map<string, number>();
  return async (subject, request, timeoutMs) => {
    for (;;) {
      const askedAt = performance.now();
      try {
        const answer = await bus.ask(subject, request, timeoutMs);
        silentSince.delete(subject);
        return answer;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
        const since = silentSince.get(subject) ?? askedAt;
        silentSince.set(subject, since);
        if (signal.aborted || performance.now() - since > patienceMs) throw error;
      }
      await sleep(againMs, undefined, { signal }).catch(() => undefined);
    }
  };
}
