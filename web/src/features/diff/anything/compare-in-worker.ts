import { runWorker } from "../../../ui/work/run-worker.js";
import { t } from "../../../texts/text.js";
import type { Compared, Contents } from "./compare-contents.js";

const timeLimitMs = 20_000;

/**
 * Compares pasted contents in a worker, without blocking the page.
 * @throws Error with words for a person, also where it takes more than 20 s
 */
export function compareInWorker(contents: Contents, signal: AbortSignal): Promise<Compared> {
  return runWorker<Contents, Compared>(
    () => new Worker(new URL("./compare-worker.ts", import.meta.url), { type: "module" }),
    contents,
    {
      timeLimitMs,
      tooLong: t("The comparison took more than {seconds} s and was stopped. Compare smaller parts.", {
        seconds: timeLimitMs / 1000,
      }),
      signal,
    },
  );
}
