/** Work that is repeated until it is stopped. */
export interface Repeating {
  /** Runs the work now, or once more after the run in progress. */
  nudge(): void;
  /** Stops the repetition: aborts the signal of the run in progress, and waits for it to end. */
  stop(): Promise<void>;
}

/**
 * Runs work every `ms` milliseconds, for the first time after `ms`. Runs never overlap: a turn that comes due during a run is skipped. An
 * error ends a run, not the repetition.
 * @param onError not called for errors after `stop`
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

/** Work that runs only when it is triggered from outside. */
export interface OnDemand {
  /** Runs the work now; does nothing while a run is in progress. */
  begin(): void;
  /** As `stop` of `Repeating`. */
  stop(): Promise<void>;
}

/** Runs work only when `begin` is called; otherwise like `every`. */
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
