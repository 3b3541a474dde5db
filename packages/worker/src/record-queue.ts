interface RecordQueueOptions<Item, Result> {
  /** Records a group; called for one group at a time. */
  write(items: Item[]): Promise<Result>;
  /** Called when no item waits and nothing is being written. */
  onEmpty(): void;
  /** The group is written as soon as it has this many items. Smaller groups are written once their first item has waited for `waitMaxMs`. */
  rowsMax: number;
  waitMaxMs: number;
  /** A group is also written as soon as its weights add up to this. */
  weightMax?: number;
  weightOf?(item: Item): number;
}

/**
 * Collects items of many callers and records them together, because a transaction for each would cost more than the work that produced the
 * item. Items that arrive while a group is being written form the next group.
 */
export class RecordQueue<Item, Result> {
  #waiting: Item[] = [];
  #weight = 0;
  #recorded = Promise.withResolvers<Result>();
  #timer: NodeJS.Timeout | undefined;
  #isWriting = false;
  #isDue = false;

  constructor(private readonly options: RecordQueueOptions<Item, Result>) {}

  /** @returns what `write` returned for the group that the item was in. Rejects if the group could not be recorded */
  add(item: Item): Promise<Result> {
    const { rowsMax, waitMaxMs, weightMax = Infinity, weightOf } = this.options;
    const { promise } = this.#recorded;
    this.#waiting.push(item);
    this.#weight += weightOf?.(item) ?? 0;
    if (this.#waiting.length >= rowsMax || this.#weight >= weightMax) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), waitMaxMs);
    return promise;
  }

  /** Records the waiting items now, or as soon as the current write is over. */
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
      promise.catch(() => undefined); // a caller that has failed for a reason of its own no longer listens
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
