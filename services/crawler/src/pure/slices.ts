import { setImmediate } from "node:timers/promises";

/** Thrown to end the reading of a page early: it took `too-long`, or nobody wants its result any more. */
export class ReadingEnded extends Error {
  /** @param message the reason as people read it */
  constructor(
    readonly why: "too-long" | "not-wanted",
    message: string,
  ) {
    super(message);
    this.name = "ReadingEnded";
  }
}

interface SliceOptions {
  /** The CPU time that all slices may take together. */
  budgetMs: number;
  /** The message for people where that is not enough. */
  tooLong: string;
  /** Whether the result of the reading is still wanted; asked about three times a second. */
  isWanted(): Promise<boolean>;
}

const sliceMs = 10;
const askEveryMs = 300;

/**
 * Divides a long loop over what a site sent into slices of 10 ms, and ends it when its budget of CPU time is spent.
 * Between slices, health checks are answered, leases are renewed and other pages are visited. Call `isDue` every few
 * steps, and `next` when it returns true.
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

  /**
   * Yields to other work.
   * @throws ReadingEnded where the budget is spent, or nobody wants the rest
   */
  async next(): Promise<void> {
    // only the CPU time of the slices counts: not other work between them, nor the time that a busy machine gave to other
    // programs
    this.#spentMs += cpuMs() - this.#cpuAtStart;
    if (this.#spentMs > this.#options.budgetMs) throw new ReadingEnded("too-long", this.#options.tooLong);
    await setImmediate();
    if (performance.now() - this.#askedAt > askEveryMs) {
      // an unavailable database is no reason to give up a page
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
