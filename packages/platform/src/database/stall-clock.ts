/** So long an answer may take before it counts as missing. */
const silentMs = 1_000;

/** Measures for how long a server was asked and gave no answer at all. */
export interface StallClock {
  /** Runs what asks the server. */
  watch<Result>(ask: () => Promise<Result>): Promise<Result>;
  /** Milliseconds so far, what goes on now included; never falls. */
  stalledMs(): number;
}

/** @param now for tests: milliseconds of a clock that never goes back */
export function createStallClock(now: () => number = () => performance.now()): StallClock {
  let total = 0;
  let asked = 0;
  /** Since when something is asked and nothing was answered. */
  let since = 0;
  const silence = () => {
    const ms = now() - since;
    return ms > silentMs ? ms : 0;
  };
  return {
    async watch(ask) {
      if (asked === 0) since = now();
      asked += 1;
      try {
        return await ask();
      } finally {
        total += silence();
        since = now();
        asked -= 1;
      }
    },
    stalledMs: () => total + (asked > 0 ? silence() : 0),
  };
}
