import { budgets } from "@web-tester/contracts/limits";
import type { LoadProgress } from "@web-tester/loader/page-result";

/**
 * The time for one file, half of that for all files of a page: files of one host are loaded one after the other, and
 * without it one that never ends would be the last.
 */
export const fileDeadlineMs = budgets.httpDeadlineMs / 2;
/**
 * The most time for a slow file that delays no others, or that would be complete by then; shorter than the page's time, so
 * that the result is still recorded for the round.
 */
export const slowFileMs = (budgets.httpDeadlineMs * 5) / 6;
/** How often a file that has exceeded its time is looked at again. */
const lookEveryMs = 1_000;
/** A deadline that is noticed this late shows that the process did not run meanwhile. */
const stoppedMs = 5_000;

/** The time allowance of one request for a file, and whether the process was stopped during it. */
export class FileTime {
  #dueMs = fileDeadlineMs;
  #wasStopped = false;

  /** @param isAwaited whether other files wait for this one to end */
  constructor(private readonly isAwaited: () => boolean) {}

  /** Whether this process was stopped while the time passed: then a timeout is not the file's fault. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  /** Returns the milliseconds that a file gets beyond its time, 0 where it is to be aborted: for `PageRequest.moreTime`. */
  more({ elapsedMs, bytes, announced }: LoadProgress): number {
    if (elapsedMs - this.#dueMs >= stoppedMs) this.#wasStopped = true;
    // also false where no length was announced
    const isInTime = bytes / announced >= elapsedMs / slowFileMs;
    const moreMs = this.isAwaited() && !isInTime ? 0 : Math.min(lookEveryMs, slowFileMs - elapsedMs);
    this.#dueMs = elapsedMs + Math.max(0, moreMs);
    return Math.max(0, moreMs);
  }
}
