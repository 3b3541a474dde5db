/** A limit on the time that a piece of work may take, from its beginning. */
export interface TimeLimit {
  /** Aborted with a TimeoutError when the time is over. */
  signal: AbortSignal;
  end(): void;
}

/**
 * Limits work without counting time in which our own parts gave no answer: a site does not lose the time it is allowed to an outage of
 * ours.
 * @param stalledMs returns the milliseconds of such time so far, as `Database.stalledMs` does
 */
export function limitTime(ms: number, stalledMs: () => number): TimeLimit {
  const beganAt = performance.now();
  const stalledBefore = stalledMs();
  return endAfter(ms, () => ms + (stalledMs() - stalledBefore) - (performance.now() - beganAt));
}

/**
 * Limits what threads of this process do. The limit is reached once both the elapsed time and the CPU time of the process exceed it:
 * content is not to blame if the machine was busy with other work or asleep. Time in which the event loop did not run is not counted as
 * elapsed; after `patience` times the limit of counted time, the work is ended whatever CPU time it used.
 */
export function limitWork(ms: number): TimeLimit {
  const workedBefore = process.cpuUsage();
  let [lookedAt, passed] = [performance.now(), 0];
  return endAfter(ms, () => {
    const now = performance.now();
    passed += Math.min(now - lookedAt, Math.max(ms, lookAgainMs) * 2);
    lookedAt = now;
    const { user, system } = process.cpuUsage(workedBefore);
    const worked = (user + system) / 1_000;
    return passed >= ms * patience ? 0 : Math.max(ms - passed, (ms - worked) / threadsAtOnce);
  });
}

const patience = 10;
/** The most threads that use the CPU at once; if there are fewer, the clock is only looked at earlier than necessary. */
const threadsAtOnce = 8;

/** @param left returns the milliseconds until the limit is reached, or until it has to be asked again */
function endAfter(ms: number, left: () => number): TimeLimit {
  const over = new AbortController();
  let timer: NodeJS.Timeout;
  const look = () => {
    const leftMs = left();
    if (leftMs <= 0) over.abort(new DOMException(`${ms / 1000} s are over`, "TimeoutError"));
    else timer = setTimeout(look, Math.max(leftMs, lookAgainMs));
  };
  timer = setTimeout(look, ms);
  return { signal: over.signal, end: () => clearTimeout(timer) };
}

/** The least time between two looks at the clock; while our own parts give no answer, the remaining time does not shrink. */
const lookAgainMs = 100;
