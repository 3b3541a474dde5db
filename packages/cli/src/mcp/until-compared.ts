import { setTimeout as sleep } from "node:timers/promises";

/** Most assistants wait a minute for an answer; this leaves time for the rest of it. */
const patienceMs = 20_000;

/**
 * Repeats a request until all pages are compared, which happens a moment after they are fetched; before that they do not show as changed.
 * It gives up after 20 s; then the answer must say that it is incomplete.
 * @param isOpen whether this answer contains pages that are not compared yet
 */
export async function untilCompared<Answer>(
  ask: () => Promise<Answer>,
  isOpen: (answer: Answer) => boolean,
  signal: AbortSignal,
  everyMs = 500,
): Promise<Answer> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (!isOpen(answer) || Date.now() > until) return answer;
    await sleep(everyMs, undefined, { signal });
  }
}
