import { budgets } from "@web-tester/contracts/limits";
import type { LoadProgress } from "@web-tester/loader/page-result";

/** Half of the time that all files of a page have: files of one host come one after the other, and one that never ends would be the last. */
export const fileDeadlineMs = budgets.httpDeadlineMs / 2;
/** What a slow file may take that harms nobody, or that will be whole by then; shorter than the page's time, so that the round remembers what came of it. */
export const slowFileMs = (budgets.httpDeadlineMs * 5) / 6;
/** So often a file that is over its time is looked at again. */
const lookEveryMs = 1_000;
/** A deadline that is noticed so late was noticed by a process that did not run. */
const stoppedMs = 5_000;

/** The time of one request for a file, and what is known of how it passed. */
export class FileTime {
  #dueMs = fileDeadlineMs;
  #wasStopped = false;

  /** @param isAwaited whether other files wait until this one has come */
  constructor(private readonly isAwaited: () => boolean) {}

  /** Whether this process did not run while the time passed: then the file is not to blame. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  /** Milliseconds that a file gets beyond its time, 0 where it is to end: as `PageRequest.moreTime`. */
  more({ elapsedMs, bytes, announced }: LoadProgress): number {
    if (elapsedMs - this.#dueMs >= stoppedMs) this.#wasStopped = true;
    // false also where nothing was announced
    const isInTime = bytes / announced >= elapsedMs / slowFileMs;
    const moreMs = this.isAwaited() && !isInTime ? 0 : Math.min(lookEveryMs, slowFileMs - elapsedMs);
    this.#dueMs = elapsedMs + Math.max(0, moreMs);
    return Math.max(0, moreMs);
  }
}
