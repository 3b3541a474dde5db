import { setImmediate } from "node:timers/promises";

/** Why the reading of a page was ended before its end: it took `too-long`, or nobody wants it any more. */
export class ReadingEnded extends Error {
  /** @param message what a person is told */
  constructor(
    readonly why: "too-long" | "not-wanted",
    message: string,
  ) {
    super(message);
    this.name = "ReadingEnded";
  }
}

interface SliceOptions {
  /** CPU time that all slices may take together. */
  budgetMs: number;
  /** What a person is told where that is not enough. */
  tooLong: string;
  /** Whether somebody still wants what is being read; asked about three times a second. */
  isWanted(): Promise<boolean>;
}

const sliceMs = 10;
const askEveryMs = 300;

/**
 * Cuts a long loop over what a site sent into slices of 10 ms, so that health is answered, leases are renewed and other pages are
 * visited between them, and ends it at its budget. Call `isDue` every few steps, and `next` where it is true.
 */
export class Slices {
  readonly #options: SliceOptions;
  #startedAt = performance.now();
  #cpuAtStart = cpuMs();
  #spentMs = 0;
  #askedAt = performance.now();

  constructor(options: SliceOptions) {
    this.#options = options;
  }

  isDue(): boolean {
    return performance.now() - this.#startedAt > sliceMs;
  }

  /** Lets others in. @throws ReadingEnded where the budget is spent, or nobody wants the rest */
  async next(): Promise<void> {
    // what others did between the slices, and what a busy machine gave to other programs, is not this page's
    this.#spentMs += cpuMs() - this.#cpuAtStart;
    if (this.#spentMs > this.#options.budgetMs) throw new ReadingEnded("too-long", this.#options.tooLong);
    await setImmediate();
    if (performance.now() - this.#askedAt > askEveryMs) {
      // a database that is away takes no page from anybody
      if (!(await this.#options.isWanted().catch(() => true)))
        throw new ReadingEnded("not-wanted", "Nobody wants this page any more.");
      this.#askedAt = performance.now();
    }
    this.#startedAt = performance.now();
    this.#cpuAtStart = cpuMs();
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
