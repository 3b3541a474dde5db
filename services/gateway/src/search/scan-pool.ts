import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { OpenSection } from "@web-tester/platform/search/open-section";
import type { DocumentMatches } from "@web-tester/platform/search/section-reader";
import { Piscina } from "piscina";
import type { ContentTask, OpenTask, PackTask, SearchTask } from "./scan-worker.js";

/** Looks through text in worker threads; what all searches ask for at once waits in one line. */
export interface ScanPool {
  threads: number;
  /** Unpacks what a section's documents are made of, into memory that threads share. */
  open(task: OpenTask): Promise<Pick<OpenSection, "runEnds" | "runs">>;
  scan(task: PackTask): Promise<DocumentMatches>;
  count(task: ContentTask): Promise<DocumentMatches>;
  close(): Promise<void>;
}

const threadsMax = 4;

export function createScanPool(): ScanPool {
  const threads = Math.min(threadsMax, availableParallelism());
  const pool = new Piscina({
    filename: resolve(import.meta.dirname, "scan-worker.js"),
    // a search is over in less time than a thread takes to start: one stays
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 },
  });
  // the worker's module declares what it returns
  const run = async <Result>(task: SearchTask) => (await pool.run(task)) as Result;
  return {
    threads,
    open: (task) => run({ kind: "open", ...task }),
    scan: (task) => run({ kind: "pack", ...task }),
    count: (task) => run({ kind: "contents", ...task }),
    close: () => pool.close({ force: true }),
  };
}
