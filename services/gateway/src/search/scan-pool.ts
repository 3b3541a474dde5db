import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { DocumentMatches } from "@web-tester/platform/search/section-reader";
import { Piscina } from "piscina";
import type { ContentTask, PackTask } from "./scan-worker.js";

/** Looks through text in worker threads; what all searches ask for at once waits in one line. */
export interface ScanPool {
  threads: number;
  run(task: PackTask | ContentTask): Promise<DocumentMatches>;
  close(): Promise<void>;
}

const threadsMax = 4;

export function createScanPool(): ScanPool {
  const threads = Math.min(threadsMax, availableParallelism());
  const pool = new Piscina({
    filename: resolve(import.meta.dirname, "scan-worker.js"),
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 },
  });
  return {
    threads,
    // the worker's module declares what it returns
    run: async (task) => (await pool.run(task)) as DocumentMatches,
    close: () => pool.close({ force: true }),
  };
}
