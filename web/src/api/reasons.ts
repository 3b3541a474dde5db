import { crawlEndings } from "@web-tester/contracts/crawl-endings";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import type { CrawlReport } from "@web-tester/contracts/entities/run";
import { inCatalogue } from "../texts/language.js";
import { inLanguage } from "./api-error.js";

/** Why a snapshot failed, in the reader's language; null where it did not. */
export function reasonOf({
  error,
  error_code: code,
}: Pick<TestSnapshotSummary, "error" | "error_code">): string | null {
  return error === null || code === null ? error : inLanguage(code, error);
}

/** How the server's warnings begin, and the codes of their translations. */
const kinds = [
  ["Not settled", "not-settled"],
  ["A drawing (canvas)", "drawing"],
  ["Scripts add", "few-words"],
  ["This page is drawn by its scripts", "served-only"],
] as const;

/** The warning about a snapshot that was taken nevertheless, in the reader's language; null where there is none. */
export function warningOf({ warning }: Pick<TestSnapshotSummary, "warning">): string | null {
  if (warning === null) return null;
  const kind = kinds.find(([begins]) => warning.startsWith(begins))?.[1];
  const sentence = kind === undefined ? undefined : inCatalogue(`warning:${kind}`);
  return sentence === undefined ? warning : `${sentence} (${warning})`;
}

const endings = new Map<string, string>(Object.entries(crawlEndings).map(([code, said]) => [said, code]));

/** Why a crawl ended before it had seen everything, in the reader's language; null where it has. */
export function endedWords({ ended }: Pick<CrawlReport, "ended">): string | null {
  if (ended === null) return null;
  const code = endings.get(ended);
  return (code === undefined ? undefined : inCatalogue(`ended:${code}`)) ?? ended;
}
