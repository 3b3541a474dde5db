import { resolve } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import type { DiffResult, TextMarks } from "@web-tester/contracts/messages";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";
import { Piscina } from "piscina";
import type { CompareTask, CountTask, MarkTask } from "./compare-worker.js";

/** Stored bytes and the charset to read them in. */
export interface Side {
  sha256: string;
  charset: string;
}

export interface Counts {
  added: number;
  removed: number;
  coarse: boolean;
}

/** Compares stored documents in worker threads, so that no document can hold up the others for longer than its limit. */
export interface Comparer {
  /** Changed lines between two documents. */
  count(a: Side, b: Side): Promise<Counts>;
  /** Which words the pages show differ. */
  mark(a: Side, b: Side): Promise<TextMarks>;
  compare(a: Side, b: Side, by: CompareTask["by"], context: number): Promise<DiffResult>;
  close(): Promise<void>;
}

/** Above the time limit inside the engine (which gives a coarser answer): a worker this late is broken and is ended. */
const workerDeadlineMs = 12_000;

export function createComparer(store: ObjectStore, threads: number): Comparer {
  const pool = new Piscina({
    filename: resolve(import.meta.dirname, "compare-worker.js"),
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 30_000,
    // comparing makes much short-lived garbage: a small nursery keeps resident memory low at no measurable cost
    resourceLimits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 8 },
  });

  async function run<Result>(
    task: (a: Buffer, b: Buffer) => CompareTask | CountTask | MarkTask,
    a: Side,
    b: Side,
  ): Promise<Result> {
    const [bytesA, bytesB] = await Promise.all([
      store.read(Buffer.from(a.sha256, "hex")),
      store.read(Buffer.from(b.sha256, "hex")),
    ]);
    try {
      // the worker's module declares what it returns for each task
      return (await pool.run(task(bytesA, bytesB), { signal: AbortSignal.timeout(workerDeadlineMs) })) as Result;
    } catch (error) {
      throw new AppError(
        "unavailable",
        "Comparing these two snapshots took too long or too much memory and was stopped. Try comparing by line.",
        { cause: error },
      );
    }
  }

  return {
    count: (a, b) =>
      run<Counts>(
        (bytesA, bytesB) => ({ kind: "count", a: bytesA, b: bytesB, charsetA: a.charset, charsetB: b.charset }),
        a,
        b,
      ),
    mark: (a, b) =>
      run<TextMarks>(
        (bytesA, bytesB) => ({ kind: "mark", a: bytesA, b: bytesB, charsetA: a.charset, charsetB: b.charset }),
        a,
        b,
      ),
    compare: (a, b, by, context) =>
      run<DiffResult>(
        (bytesA, bytesB) => ({
          kind: "compare",
          a: bytesA,
          b: bytesB,
          charsetA: a.charset,
          charsetB: b.charset,
          by,
          context,
        }),
        a,
        b,
      ),
    close: () => pool.close(),
  };
}
