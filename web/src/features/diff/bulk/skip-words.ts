import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import { inCatalogue } from "../../../texts/language.js";

/** Patterns of the server's reasons, and the codes of their translations. */
const kinds = [
  [/^Identical: both indices/, "same"],
  [/^Identical:/, "identical"],
  [/^(?:No|Only \d+) finished snapshots?, index/, "few"],
  [/^The HTML is identical;/, "beside"],
] as const;

/** Why a pair was not compared, in the reader's language; in English as the server wrote it. */
export function skipWords({ skipReason }: Pick<BulkDiffEntry, "skipReason">): string {
  if (skipReason === null) return "";
  const kind = kinds.find(([pattern]) => pattern.test(skipReason))?.[1];
  const sentence = kind === undefined ? undefined : inCatalogue(`skip:${kind}`);
  if (sentence === undefined) return skipReason;
  // only the server's sentence says what changed beside the HTML, and how many snapshots there are
  return kind === "beside" || kind === "few" ? `${sentence} (${skipReason})` : sentence;
}
