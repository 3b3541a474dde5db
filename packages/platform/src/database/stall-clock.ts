/** So long an answer may take before it counts as missing. */
const silentMs = 1_000;

/** Measures for how long a server left something that it was asked without an answer. */
export interface StallClock {
  /** Runs what asks the server. */
  watch<Result>(ask: () => Promise<Result>): Promise<Result>;
  /** Milliseconds so far, what goes on now included; never falls. */
  stalledMs(): number;
}

/**
 * Time counts as stalled while anything waits longer than a second: where some connections hang, and others are answered, work that waits on
 * one of the former makes no way. Time that several wait in counts once.
 * @param isSilence whether an error says that no answer came: giving up to wait is none, however often it happens, and the silence lasts until one comes
 * @param now for tests: milliseconds of a clock that never goes back
 */
export function createStallClock(
  isSilence: (error: unknown) => boolean,
  now: () => number = () => performance.now(),
): StallClock {
  let total = 0;
  let countedUntil = 0;
  /** When what is asked now was asked, the oldest first. */
  const asked = new Map<symbol, number>();
  /** Since when those waited who gave up, until something is answered. */
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
