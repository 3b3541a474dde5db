interface RecordQueueOptions<Item, Result> {
  /** Records a group; called for one group at a time. */
  write(items: Item[]): Promise<Result>;
  /** Called when nothing waits and nothing is being written any more. */
  onEmpty(): void;
  /** Items that are written at once. Fewer are written when the first of them has waited for `waitMaxMs`. */
  rowsMax: number;
  waitMaxMs: number;
  /** A group is also written at once when its weights add up to this. */
  weightMax?: number;
  weightOf?(item: Item): number;
}

/**
 * Collects items of many callers and records them together, because a transaction for each would cost more than the
 * work before it. What comes while a group is written makes the next one.
 */
export class RecordQueue<Item, Result> {
  #waiting: Item[] = [];
  #weight = 0;
  #recorded = Promise.withResolvers<Result>();
  #timer: NodeJS.Timeout | undefined;
  #isWriting = false;
  #isDue = false;

  constructor(private readonly options: RecordQueueOptions<Item, Result>) {}

  /** @returns what `write` gave for the group that the item was in. Rejects when it could not be recorded */
  add(item: Item): Promise<Result> {
    const { rowsMax, waitMaxMs, weightMax = Infinity, weightOf } = this.options;
    const { promise } = this.#recorded;
    this.#waiting.push(item);
    this.#weight += weightOf?.(item) ?? 0;
    if (this.#waiting.length >= rowsMax || this.#weight >= weightMax) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), waitMaxMs);
    return promise;
  }

  /** Records at once what is waiting. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = true;
    if (!this.#isWriting) void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#isDue && this.#waiting.length > 0) {
      const items = this.#waiting;
      const { promise, resolve, reject } = this.#recorded;
      promise.catch(() => undefined); // a caller that ended by a fault of its own no longer listens
      this.#waiting = [];
      this.#weight = 0;
      this.#recorded = Promise.withResolvers();
      this.#isDue = false;
      await this.options.write(items).then(resolve, reject);
    }
    this.#isWriting = false;
    this.#isDue = false;
    if (this.#waiting.length === 0) this.options.onEmpty();
  }
}
