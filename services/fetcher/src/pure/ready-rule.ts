import type { ReadyRule } from "@web-tester/loader/page-result";

/** The columns of a test object that say when its pages count as ready. */
export interface KeptReadyRule {
  /** quiet, selector or time */
  readyWhen: string;
  readySelector: string;
  readyMs: number;
}

export function readyRule({ readyWhen, readySelector, readyMs }: KeptReadyRule): ReadyRule {
  if (readyWhen === "selector") return { kind: "selector", selector: readySelector };
  return readyWhen === "time" ? { kind: "time", ms: readyMs } : { kind: "quiet" };
}
