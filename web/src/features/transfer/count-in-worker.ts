import type { TransferCounts } from "@web-tester/contracts/entities/transfer";
import { t } from "../../texts/text.js";

type Said = { bytes: number } | { answer: TransferCounts } | { failure: string };

/**
 * Counts the records of a file of any size in a worker, without blocking the page.
 * @param onBytes is called with the bytes read so far
 * @throws Error with words for a person; DOMException AbortError when the signal aborts
 */
export function countInWorker(
  file: File,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<TransferCounts> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./count-worker.ts", import.meta.url), { type: "module" });
    const end = (settle: () => void) => {
      worker.terminate();
      settle();
    };
    signal.addEventListener("abort", () => end(() => reject(new DOMException("Cancelled", "AbortError"))));
    worker.addEventListener("message", ({ data }: MessageEvent<Said>) => {
      if ("bytes" in data) onBytes(data.bytes);
      else if ("answer" in data) end(() => resolve(data.answer));
      else end(() => reject(new Error(data.failure)));
    });
    worker.addEventListener("error", () =>
      end(() => reject(new Error(t("The part that reads the file could not be started. Reload the page.")))),
    );
    worker.postMessage(file);
  });
}
