import { resolve } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import type { ListedAsset } from "@web-tester/html/replay/list-assets";
import { createFairThread } from "@web-tester/worker/fair-thread";
import type { ScriptsDrew } from "@web-tester/html/text/scripts-drew";
import { type PageSigns, type ReadAnswer, readPage, type ReadTask } from "../pure/read-page.js";

/**
 * Reads what was loaded: small pages in place, large ones in a worker thread in which objects take turns, so that a page
 * made to take long delays no others.
 */
export interface PageReader {
  /**
   * Returns what a page says about its scripts. A page that cannot be read in time is taken for one without scripts, so
   * that a browser is not expected to show more of it.
   */
  signs(objectId: string, task: Extract<ReadTask, { find: "signs" }>): Promise<PageSigns>;
  /** Returns what scripts made of a page; null where it cannot be read in time. */
  drawn(objectId: string, task: Extract<ReadTask, { find: "drawn" }>): Promise<ScriptsDrew | null>;
  /** Returns the files that are named. @throws AppError internal where reading takes too long or too much memory */
  assets(objectId: string, task: Exclude<ReadTask, { find: "signs" | "drawn" }>): Promise<ListedAsset[]>;
  close(): Promise<void>;
}

/** The most bytes that are read in place: the slowest page known takes 15 ms, an ordinary one less than 2 ms. */
const readHereMaxBytes = 128 * 1024;
const deadlineMs = 20_000;

export function createPageReader(): PageReader {
  const thread = createFairThread<ReadTask, ReadAnswer>({
    filename: resolve(import.meta.dirname, "read-page-worker.js"),
    deadlineMs,
    // 10 MiB of HTML and 25 MiB of CSS need a tenth of this
    maxHeapMb: 256,
  });

  async function read(objectId: string, task: ReadTask): Promise<ReadAnswer> {
    if (task.bytes.length <= readHereMaxBytes) return readPage(task);
    return thread.run(objectId, task);
  }

  return {
    async signs(objectId, task) {
      const found = await read(objectId, task).catch(() => null);
      return found !== null && "isShell" in found ? found : { isShell: false, scripts: null };
    },
    async drawn(objectId, task) {
      const found = await read(objectId, task).catch(() => null);
      return found !== null && "isMuch" in found ? found : null;
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
