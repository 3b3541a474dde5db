import { resolve } from "node:path";
import type { PackSections } from "@web-tester/records/search/search-segments";
import { Piscina } from "piscina";
import { type Document, packDocuments } from "../pure/packed-documents.js";
import type { BuildTask, MergeTask } from "./pack-worker.js";

/** Makes packs of searchable text in a worker thread of their own. */
export interface PackBuilder {
  build(contents: readonly Document[]): Promise<PackSections>;
  merge(packs: MergeTask["packs"]): Promise<PackSections>;
  close(): Promise<void>;
}

export function createPackBuilder(): PackBuilder {
  const pool = new Piscina({
    filename: resolve(import.meta.dirname, "pack-worker.js"),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 5_000,
    // a batch and the texts of the largest page; what is not needed any more is given back before that much is there
    resourceLimits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 },
  });
  // the worker's module declares what it returns
  const run = async (task: BuildTask | MergeTask, transferList: ArrayBuffer[] = []) =>
    (await pool.run(task, { transferList })) as PackSections;
  return {
    build: (documents) => {
      const contents = packDocuments(documents);
      return run({ kind: "build", contents }, [contents.bytes]);
    },
    merge: (packs) => run({ kind: "merge", packs }),
    close: () => pool.close(),
  };
}
