import { resolve } from "node:path";
import type { PictureRegion } from "@web-tester/contracts/entities/compare";
import { Piscina } from "piscina";

export interface PictureTask {
  a: Uint8Array;
  b: Uint8Array;
  threshold: number;
}

/**
 * Where two pictures differ. `differing` counts the pixels that look different, `unequal` those that are not the same
 * colour, `pixels` those of the taller picture; `mask` is a PNG, null where nothing differs.
 */
export interface PictureDifference {
  differing: number;
  unequal: number;
  pixels: number;
  regions: PictureRegion[];
  regionsTotal: number;
  mask: Uint8Array | null;
}

/** Compares pictures in a worker thread. */
export interface PictureComparer {
  compare(a: Buffer, b: Buffer, threshold: number): Promise<PictureDifference>;
  close(): Promise<void>;
}

const deadlineMs = 60_000;

export function createPictureComparer(): PictureComparer {
  const pool = new Piscina({
    filename: resolve(import.meta.dirname, "picture-worker.js"),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  return {
    async compare(a, b, threshold) {
      const task: PictureTask = { a, b, threshold };
      // the module of the worker declares this return type
      return (await pool.run(task, { signal: AbortSignal.timeout(deadlineMs) })) as PictureDifference;
    },
    close: () => pool.close(),
  };
}
