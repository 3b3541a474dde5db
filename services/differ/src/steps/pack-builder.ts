import { resolve } from "node:path";
import type { PackSections } from "@web-tester/records/search/search-segments";
import { Piscina } from "piscina";
import type { BuildTask, MergeTask } from "./pack-worker.js";

/** Makes packs of searchable text in a worker thread of their own. */
export interface PackBuilder {
  build(contents: BuildTask["contents"]): Promise<PackSections>;
  merge(packs: MergeTask["packs"]): Promise<PackSections>;
  close(): Promise<void>;
}

export function createPackBuilder(): PackBuilder {
  const pool = new Piscina({
    filename: resolve(import.meta.dirname, "pack-worker.js"),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 5_000,
    resourceLimits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 16 },
  });
  // the worker's module declares what it returns
  const run = async (task: BuildTask | MergeTask) => (await pool.run(task)) as PackSections;
  return {
    build: (contents) => run({ kind: "build", contents }),
    merge: (packs) => run({ kind: "merge", packs }),
    close: () => pool.close(),
  };
}
