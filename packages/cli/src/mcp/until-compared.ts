import { setTimeout as sleep } from "node:timers/promises";

/** An assistant waits a minute for an answer, as a rule. */
const patienceMs = 20_000;

/**
 * Pages are compared a moment after they are fetched: until then nothing of them has changed. Asks again while that is so, as long as an assistant
 * has patience; what is open then, the answer has to say.
 * @param isOpen whether pages of this answer are still to be compared
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
