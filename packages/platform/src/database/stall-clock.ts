/** Milliseconds that an answer may take before it counts as missing. */
const silentMs = 1_000;

/** Measures how long a server has left requests without an answer. */
export interface StallClock {
  /** Runs a request to the server, and counts its waiting time. */
  watch<Result>(ask: () => Promise<Result>): Promise<Result>;
  /** Milliseconds stalled so far, including a stall that is going on; never decreases. */
  stalledMs(): number;
}

/**
 * Time counts as stalled while any request waits longer than a second: when some connections hang and others are answered, work that waits
 * on a hanging one makes no progress. Overlapping waits count once.
 * @param isSilence whether an error means that no answer came: a timeout does not end the silence, however often it happens; only an answer
 * does
 * @param now for tests: milliseconds of a clock that never goes back
 */
export function createStallClock(
  isSilence: (error: unknown) => boolean,
  now: () => number = () => performance.now(),
): StallClock {
  let total = 0;
  let countedUntil = 0;
  /** When each pending request was sent, the oldest first. */
  const asked = new Map<symbol, number>();
  /** Since when requests have failed without an answer; null after an answer. */
  let givenUp: number | null = null;

  const silence = () => {
    const [oldest = Number.POSITIVE_INFINITY] = asked.values();
    const since = Math.min(oldest, givenUp ?? Number.POSITIVE_INFINITY);
    const at = now();
    return at - since > silentMs ? at - Math.max(since, countedUntil) : 0;
  };
  const count = () => {
    total += silence();
    countedUntil = now();
  };

  return {
    async watch(ask) {
      const question = Symbol("question");
      const beganAt = now();
      asked.set(question, beganAt);
      const end = (isAnswered: boolean) => {
        if (silence() > 0) count();
        asked.delete(question);
        givenUp = isAnswered ? null : Math.min(givenUp ?? beganAt, beganAt);
      };
      try {
        const answer = await ask();
        end(true);
        return answer;
      } catch (error) {
        end(!isSilence(error));
        throw error;
      }
    },
    stalledMs: () => total + silence(),
  };
}
