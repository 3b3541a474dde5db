/**
 * A limit on the CPU time of this thread from now on. Wall time would go on while a thread waits on a busy machine, where
 * rules must hold too.
 */
export class CpuLimit {
  readonly #began = performance.now();
  readonly #cpuAtStart = process.threadCpuUsage();

  /** @param ms of CPU time */
  constructor(private readonly ms: number) {}

  /** Whether the limit is exceeded. The cheap clock is read first: CPU time cannot exceed wall time. */
  get isSpent(): boolean {
    if (performance.now() - this.#began <= this.ms) return false;
    const { user, system } = process.threadCpuUsage(this.#cpuAtStart);
    return (user + system) / 1_000 > this.ms;
  }
}
