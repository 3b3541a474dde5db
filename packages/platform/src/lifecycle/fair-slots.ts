/** A semaphore shared by keys, none of which can starve the others. */
export interface FairSlots {
  /**
   * Waits for a place on behalf of `key` (for example a test object); the returned function releases it, and releasing twice does nothing.
   * @throws the signal's reason when it is aborted before a place is free
   */
  take(key: string, signal?: AbortSignal): Promise<() => void>;
  /** Places that are taken now. */
  readonly used: number;
  /** Callers that wait for a place. */
  readonly waiting: number;
}

/**
 * Creates a semaphore of `size` places. A free place goes to the key that holds the fewest places, among equals to the one served longest
 * ago; within a key, first come first served. So a new key waits for one place only, however many callers wait for another key.
 * @param mostOfOne the most places of one key; if it is below `size`, one busy key always leaves places free for others
 */
export function createFairSlots(size: number, mostOfOne: number = size): FairSlots {
  return new Slots(size, mostOfOne);
}

class Slots implements FairSlots {
  readonly #held = new Map<string, number>();
  /** Keys in the order in which they are served; a key that was served goes to the end. */
  readonly #queues = new Map<string, (() => void)[]>();
  #used = 0;

  constructor(
    private readonly size: number,
    private readonly mostOfOne: number,
  ) {}

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  async take(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    await this.#wait(key, signal);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#giveBack(key);
    };
  }

  #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(key) ?? [];
      const go = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        queue.splice(queue.indexOf(go), 1);
        if (queue.length === 0) this.#queues.delete(key);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      queue.push(go);
      this.#queues.set(key, queue);
      this.#serve();
    });
  }

  #serve(): void {
    while (this.#used < this.size) {
      const key = this.#next();
      if (key === null) return;
      const queue = this.#queues.get(key) ?? [];
      const go = queue.shift();
      this.#queues.delete(key);
      if (queue.length > 0) this.#queues.set(key, queue);
      this.#used += 1;
      this.#held.set(key, this.#heldBy(key) + 1);
      go?.();
    }
  }

  #next(): string | null {
    let found: string | null = null;
    for (const key of this.#queues.keys()) {
      if (this.#heldBy(key) >= this.mostOfOne) continue;
      if (found === null || this.#heldBy(key) < this.#heldBy(found)) found = key;
    }
    return found;
  }

  #giveBack(key: string): void {
    this.#used -= 1;
    const left = this.#heldBy(key) - 1;
    if (left === 0) this.#held.delete(key);
    else this.#held.set(key, left);
    this.#serve();
  }

  #heldBy(key: string): number {
    return this.#held.get(key) ?? 0;
  }
}
