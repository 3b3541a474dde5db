import type { ChangeGroup } from "@web-tester/contracts/entities/review";

/** Whether a kind of change is in the pages' content, and not in a file, a header or the status. */
export const isOfContent = (kind: ChangeGroup["kind"]): boolean =>
  kind === "content" || kind === "moved" || kind === "rewritten" || kind === "mode" || kind === "repaged";
