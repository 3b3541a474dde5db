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
  return new Slots(size, mostOfOne);
}

class Slots implements FairSlots {
  readonly #held = new Map<string, number>();
  /** Keys in the order in which they are served; one that was served goes to the end. */
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
