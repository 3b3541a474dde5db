/** Work that is done again and again until it is stopped. */
export interface Repeating {
  /** Does the work now: at once, or once more when the run under way has ended. */
  nudge(): void;
  /** Stops it: signals the work that is under way to end, and waits for it. */
  stop(): Promise<void>;
}

/**
 * Does work every `ms` milliseconds, for the first time after these. It never overlaps itself: a turn that comes while it is under
 * way is left out. An error ends a turn, not the repetition.
 * @param onError is not told of what the work throws once it was told to stop
 */
export function every(
  ms: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): Repeating {
  const { nudge, stop, begin } = repeatable(work, onError);
  const timer = setInterval(begin, ms);
  return {
    nudge,
    stop() {
      clearInterval(timer);
      return stop();
    },
  };
}

/** Work that somebody else's clock begins. */
export interface OnDemand {
  /** Does the work now; left out while it is under way. */
  begin(): void;
  /** As that of `Repeating`. */
  stop(): Promise<void>;
}

/** Does work whenever it is told to, as `every` does, and never by itself. */
export function onDemand(work: (signal: AbortSignal) => Promise<unknown>, onError: (error: unknown) => void): OnDemand {
  const { begin, stop } = repeatable(work, onError);
  return { begin, stop };
}

function repeatable(work: (signal: AbortSignal) => Promise<unknown>, onError: (error: unknown) => void) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let current: Promise<void> | null = null;
  let again = false;

  async function turn(): Promise<void> {
    do {
      again = false;
      try {
        await work(signal);
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
    } while (again && !signal.aborted);
  }
  function begin(): void {
    if (signal.aborted || current !== null) return;
    current = turn().finally(() => {
      current = null;
    });
  }

  return {
    begin,
    nudge() {
      if (current === null) begin();
      else again = true;
    },
    async stop() {
      stopping.abort();
      await current;
    },
  };
}
