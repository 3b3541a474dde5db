/**
 * Lets those who ask the same at the same time share one answer. Nobody gets one that was begun before they asked, so whoever has
 * written reads what they wrote: who comes while the question is under way waits, with all others who do, for the next one.
 * @returns runs `read`, or finds somebody else's; `key` says what is asked
 */
export function createSharing(): <Answer>(key: string, read: () => Promise<Answer>) => Promise<Answer> {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<unknown>>();

  function start<Answer>(key: string, read: () => Promise<Answer>): Promise<Answer> {
    const answer = read().finally(() => running.delete(key));
    running.set(key, answer);
    return answer;
  }

  return <Answer>(key: string, read: () => Promise<Answer>) => {
    // one key stands for one kind of answer
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
