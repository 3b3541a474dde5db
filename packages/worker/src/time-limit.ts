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
  const over = new AbortController();
  const beganAt = performance.now();
  const stalledBefore = stalledMs();
  let timer: NodeJS.Timeout;
  const look = () => {
    const left = ms + (stalledMs() - stalledBefore) - (performance.now() - beganAt);
    if (left <= 0) over.abort(new DOMException(`${ms / 1000} s are over`, "TimeoutError"));
    else timer = setTimeout(look, Math.max(left, lookAgainMs));
  };
  timer = setTimeout(look, ms);
  return { signal: over.signal, end: () => clearTimeout(timer) };
}

/** While nothing is answered, the time that is left does not pass. */
const lookAgainMs = 100;
