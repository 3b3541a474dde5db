import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { SnapshotMatches } from "@web-tester/contracts/entities/search";
import { AppError } from "@web-tester/contracts/errors";
import type { OpenSection } from "@web-tester/search-index/open-segment";
import type { DocumentMatches } from "@web-tester/search-index/segment-reader";
import { Piscina } from "piscina";
import {
  type FoldTask,
  linesOf,
  type LinesTask,
  type OpenTask,
  type PackTask,
  type SearchTask,
  type TextTask,
} from "./scan-worker.js";

/** Searches text in worker threads; tasks of all searches share one queue. */
export interface ScanPool {
  threads: number;
  /** Unpacks the sequences of a section's documents into memory that threads share. */
  open(task: OpenTask): Promise<Pick<OpenSection, "runEnds" | "runs">>;
  scan(task: PackTask): Promise<DocumentMatches>;
  /** Folds contents into the form that is searched, in memory that threads share. */
  fold(task: FoldTask): Promise<Uint8Array[]>;
  count(task: TextTask): Promise<DocumentMatches>;
  /**
   * Finds the lines of a page on which a phrase begins.
   * @throws AppError unavailable where the page takes too long
   */
  lines(task: LinesTask): Promise<SnapshotMatches>;
  close(): Promise<void>;
}

const threadsMax = 4;
/** Up to this size a page is searched in the main thread: the slowest known case takes 15 ms. */
const hereMaxBytes = 64 * 1024;
const linesDeadlineMs = 20_000;

export function createScanPool(): ScanPool {
  const threads = Math.min(threadsMax, availableParallelism());
  const pool = new Piscina({
    filename: resolve(import.meta.dirname, "scan-worker.js"),
    // a search takes less time than starting a thread, so one thread stays alive
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 },
  });
  // `work` in the worker's module declares these result types
  const run = async <Result>(task: SearchTask, signal?: AbortSignal) =>
    (await pool.run(task, signal === undefined ? {} : { signal })) as Result;
  return {
    threads,
    open: (task) => run({ kind: "open", ...task }),
    scan: (task) => run({ kind: "pack", ...task }),
    fold: (task) => run({ kind: "fold", ...task }),
    count: (task) => run({ kind: "texts", ...task }),
    async lines(task) {
      if (task.bytes.length <= hereMaxBytes) return linesOf(task);
      try {
        return await run({ kind: "lines", ...task }, AbortSignal.timeout(linesDeadlineMs));
      } catch (cause) {
        throw new AppError(
          "unavailable",
          `Searching this page took more than ${linesDeadlineMs / 1_000} s, or too much memory, so it was stopped. Try again, or search for a longer phrase.`,
          { cause },
        );
      }
    },
    close: () => pool.close({ force: true }),
  };
}
