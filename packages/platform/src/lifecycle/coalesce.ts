/** Runs `work`, or shares a run that is in progress under the same key; one key stands for one kind of work. */
export type Coalesce = <Answer>(key: string, work: () => Promise<Answer>) => Promise<Answer>;

/** Coalesces calls whose answer does not depend on when it is made: callers that ask while the work is in progress share it. */
export function coalesceRuns(): Coalesce {
  const running = new Map<string, Promise<unknown>>();
  return <Answer>(key: string, work: () => Promise<Answer>) => {
    const known = running.get(key);
    if (known !== undefined) return known as Promise<Answer>;
    const started = work().finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}

/**
 * Coalesces reads: concurrent callers with the same key share one answer. A call that comes while the same read is running waits for the
 * next run, together with all others that come meanwhile. So nobody gets an answer that was begun before they asked, and callers read their
 * own writes.
 * @returns a function that runs `read` or shares a run of it; `key` identifies the read
 */
export function coalesceReads(): Coalesce {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<unknown>>();

  function start<Answer>(key: string, read: () => Promise<Answer>): Promise<Answer> {
    const answer = read().finally(() => running.delete(key));
    running.set(key, answer);
    return answer;
  }

  return <Answer>(key: string, read: () => Promise<Answer>) => {
    // safe cast: callers use a key for one type of answer only
    const waiting = next.get(key) as Promise<Answer> | undefined;
    if (waiting !== undefined) return waiting;
    const current = running.get(key);
    if (current === undefined) return start(key, read);
    const then = () => {
      next.delete(key);
      return start(key, read);
    };
    const later = current.then(then, then);
    next.set(key, later);
    return later;
  };
}
