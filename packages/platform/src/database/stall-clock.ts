/** So long an answer may take before it counts as missing. */
const silentMs = 1_000;

/** Measures for how long a server was asked and gave no answer at all. */
export interface StallClock {
  /** Runs what asks the server. */
  watch<Result>(ask: () => Promise<Result>): Promise<Result>;
  /** Milliseconds so far, what goes on now included; never falls. */
  stalledMs(): number;
}

/**
 * @param isSilence whether an error says that no answer came: giving up to wait is none, however often it happens, and the silence lasts until one comes
 * @param now for tests: milliseconds of a clock that never goes back
 */
export function createStallClock(
  isSilence: (error: unknown) => boolean,
  now: () => number = () => performance.now(),
): StallClock {
  let total = 0;
  let asked = 0;
  /** Since when something is asked, or was, and nothing was answered. */
  let since: number | null = null;
  const silence = () => {
    const ms = since === null ? 0 : now() - since;
    return ms > silentMs ? ms : 0;
  };
  const answered = () => {
    total += silence();
    since = asked > 0 ? now() : null;
  };
  return {
    async watch(ask) {
      since ??= now();
      asked += 1;
      try {
        const answer = await ask();
        asked -= 1;
        answered();
        return answer;
      } catch (error) {
        asked -= 1;
        if (!isSilence(error)) answered();
        throw error;
      }
    },
    stalledMs: () => total + silence(),
  };
}
