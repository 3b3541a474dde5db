/** A limit on the time of a piece of work, from its beginning on. */
export interface TimeLimit {
  /** Aborted with a TimeoutError when the time is over. */
  signal: AbortSignal;
  end(): void;
}

/**
 * A limit that counts no time in which our own parts gave no answer: what a site is allowed is not lost to our own outage.
 * @param stalledMs milliseconds of such time so far, as `Database.stalledMs` tells
 */
export function limitTime(ms: number, stalledMs: () => number): TimeLimit {
  const beganAt = performance.now();
  const stalledBefore = stalledMs();
  return endAfter(ms, () => ms + (stalledMs() - stalledBefore) - (performance.now() - beganAt));
}

/**
 * A limit on what threads of this process do: over once it has lasted so long and the process has worked for as long. Content is not to blame where the machine is
 * busy with others, or was asleep. Time in which nobody looks at the clock does not pass; of the rest there is `patience` times as much.
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
/** That work while one waits for another, at most; one looks again earlier than need be where there are fewer. */
const threadsAtOnce = 8;

/** @param left milliseconds until it is to end, or until one has to look again */
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

/** While nothing is answered, the time that is left does not pass. */
const lookAgainMs = 100;
