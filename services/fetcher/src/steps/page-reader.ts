import { resolve } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import type { ListedAsset } from "@web-tester/html/replay/list-assets";
import { createFairThread } from "@web-tester/worker/fair-thread";
import { readPage, type ReadTask } from "../pure/read-page.js";

/** Reads what was loaded, so that a page made to take long holds up no other: long ones are read in a thread of their own, objects in turns. */
export interface PageReader {
  /** Whether a page is drawn by its scripts. Of one that cannot be read in time nothing more is expected from a browser. */
  isShell(objectId: string, task: Extract<ReadTask, { find: "shell" }>): Promise<boolean>;
  /** Which files are named. @throws AppError internal where reading takes too long or too much memory */
  assets(objectId: string, task: Exclude<ReadTask, { find: "shell" }>): Promise<ListedAsset[]>;
  close(): Promise<void>;
}

/** Read in place: the slowest page known takes 15 ms, an ordinary one less than 2. */
const readHereMaxBytes = 128 * 1024;
const deadlineMs = 20_000;

export function createPageReader(): PageReader {
  const thread = createFairThread<ReadTask, ListedAsset[] | boolean>({
    filename: resolve(import.meta.dirname, "read-page-worker.js"),
    deadlineMs,
    // 10 MiB of HTML and 25 MiB of CSS need a tenth of it
    maxHeapMb: 256,
  });

  async function read(objectId: string, task: ReadTask): Promise<ListedAsset[] | boolean> {
    if (task.bytes.length <= readHereMaxBytes) return readPage(task);
    return thread.run(objectId, task);
  }

  return {
    async isShell(objectId, task) {
      return (await read(objectId, task).catch(() => false)) === true;
    },
    async assets(objectId, task) {
      const found = await read(objectId, task).catch((cause: unknown) => {
        throw new AppError(
          "internal",
          "Looking for the files of this page took too long or too much memory and was stopped. The page itself was kept.",
          { cause },
        );
      });
      return Array.isArray(found) ? found : [];
    },
    close: () => thread.close(),
  };
}
