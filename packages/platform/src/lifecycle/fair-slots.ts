/** Places that many share without anybody being able to have them all. */
export interface FairSlots {
  /**
   * Waits for a place on behalf of `key` (a test object, say); the returned function gives it back, and giving back twice does nothing.
   * @throws the signal's reason where it is aborted before there is a place
   */
  take(key: string, signal?: AbortSignal): Promise<() => void>;
  /** Places that are taken. */
  readonly used: number;
  /** How many wait. */
  readonly waiting: number;
}

/**
 * A place that comes free goes to the key that has the fewest places, among equals to the one served longest ago;
 * within a key, to who came first. So a new key waits for one place only, however many wait for another key.
 * @param mostOfOne places of one key at most; below `size` a new key finds a free one, however long the others keep
 * theirs
 */
export function createFairSlots(size: number, mostOfOne: number = size): FairSlots {
  const held = new Map<string, number>();
  /** Keys in the order in which they are served; one that was served goes to the end. */
  const queues = new Map<string, (() => void)[]>();
  let used = 0;

  const heldBy = (key: string) => held.get(key) ?? 0;

  function next(): string | null {
    let found: string | null = null;
    for (const key of queues.keys()) {
      if (heldBy(key) >= mostOfOne) continue;
      if (found === null || heldBy(key) < heldBy(found)) found = key;
    }
    return found;
  }

  function serve(): void {
    while (used < size) {
      const key = next();
      if (key === null) return;
      const queue = queues.get(key) ?? [];
      const go = queue.shift();
      queues.delete(key);
      if (queue.length > 0) queues.set(key, queue);
      used += 1;
      held.set(key, heldBy(key) + 1);
      go?.();
    }
  }

  function give(key: string): void {
    used -= 1;
    const left = heldBy(key) - 1;
    if (left === 0) held.delete(key);
    else held.set(key, left);
    serve();
  }

  function wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = queues.get(key) ?? [];
      const go = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        queue.splice(queue.indexOf(go), 1);
        if (queue.length === 0) queues.delete(key);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      queue.push(go);
      queues.set(key, queue);
      serve();
    });
  }

  return {
    get used() {
      return used;
    },
    get waiting() {
      return [...queues.values()].reduce((sum, queue) => sum + queue.length, 0);
    },
    async take(key, signal) {
      signal?.throwIfAborted();
      await wait(key, signal);
      let isGiven = false;
      return () => {
        if (isGiven) return;
        isGiven = true;
        give(key);
      };
    },
  };
}
