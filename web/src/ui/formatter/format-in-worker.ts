import { runWorker } from "../work/run-worker.js";
import { t } from "../../texts/text.js";

const timeLimitMs = 15_000;

/**
 * Formats HTML in a worker, without blocking the page.
 * @throws Error with words for a person, also where it takes more than 15 s
 */
export function formatInWorker(html: string): Promise<string> {
  return runWorker<string, string>(
    () => new Worker(new URL("./format-worker.ts", import.meta.url), { type: "module" }),
    html,
    {
      timeLimitMs,
      tooLong: t("Formatting took more than {seconds} s and was stopped. Format a smaller part.", {
        seconds: timeLimitMs / 1000,
      }),
    },
  );
}
