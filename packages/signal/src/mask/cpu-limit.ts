/** A limit on the CPU time of this thread, from now on: on a busy machine the clock runs on while a thread waits, and rules are to hold there too. */
export class CpuLimit {
  readonly #began = performance.now();
  readonly #cpuAtStart = process.threadCpuUsage();

  /** @param ms of CPU time */
  constructor(private readonly ms: number) {}

  /** The clock, which costs little to read, is asked first: a thread cannot have worked for longer than that. */
  get isSpent(): boolean {
    if (performance.now() - this.#began <= this.ms) return false;
    const { user, system } = process.threadCpuUsage(this.#cpuAtStart);
    return (user + system) / 1_000 > this.ms;
  }
}
