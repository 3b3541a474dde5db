import { Piscina } from "piscina";
import { createFairSlots } from "@web-tester/platform/lifecycle/fair-slots";
import { limitWork } from "./time-limit.js";

/** A thread for content that may have been made to take long: it does one task at a time, and owners take turns. */
export interface FairThread<Task, Result> {
  /**
   * @param owner the test object that the content belongs to; however many tasks one owner has, a task of another owner waits for only one
   * of them
   * @throws if the task fails, or takes longer than its deadline, which is counted from when its turn comes
   */
  run(owner: string, task: Task): Promise<Result>;
  /** Ends the running task and fails those that wait. */
  close(): Promise<void>;
}

interface FairThreadOptions {
  /** A module whose default export does a task. */
  filename: string;
  /** See `limitWork`. */
  deadlineMs: number;
  /** Limit of the thread's heap, in MiB. */
  maxHeapMb: number;
}

/** Creates a fair thread. A task that exceeds its deadline is ended together with its thread; the next task gets a new thread. */
export function createFairThread<Task, Result>({
  filename,
  deadlineMs,
  maxHeapMb,
}: FairThreadOptions): FairThread<Task, Result> {
  const turns = createFairSlots(1);
  const pool = new Piscina<Task, Result>({
    filename,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 16 },
  });
  return {
    async run(owner, task) {
      const leave = await turns.take(owner);
      const limit = limitWork(deadlineMs);
      try {
        return await pool.run(task, { signal: limit.signal });
      } finally {
        limit.end();
        leave();
      }
    },
    close: () => pool.destroy(),
  };
}
