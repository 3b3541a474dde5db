/**
 * The limits of a running comparison and how much of them is left. Searches take steps from it, check it before they
 * continue, and report here when they gave up.
 */
export class Budget {
  /** A limit was hit: the answer is correct, but perhaps not the smallest. */
  coarse = false;
  private readonly deadline: number;

  /**
   * @param steps elementary search steps left; may fall below zero by the one operation that noticed.
   * @param timeMs wall time from now on.
   * @param maxEdits edits per region beyond which the difference need not be the smallest.
   */
  constructor(
    public steps: number,
    timeMs: number,
    readonly maxEdits: number,
  ) {
    this.deadline = performance.now() + timeMs;
  }

  /** Whether no further search may start. */
  get spent(): boolean {
    return this.steps <= 0 || performance.now() > this.deadline;
  }

  /** Runs `work` with at most `allowance` steps; unused steps return to the whole budget. */
  within<T>(allowance: number, work: () => T): T {
    const granted = Math.min(Math.max(allowance, 0), Math.max(this.steps, 0));
    const reserve = this.steps - granted;
    this.steps = granted;
    const result = work();
    this.steps += reserve;
    return result;
  }
}
