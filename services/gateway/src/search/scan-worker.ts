import { assertNever } from "@web-tester/contracts/assert-never";
import type { SearchScope, SnapshotMatches } from "@web-tester/contracts/entities/search";
import { decodeAs, utf8As } from "@web-tester/html/charset/decode-as";
import { visibleText } from "@web-tester/html/text/visible-text";
import { Folder } from "@web-tester/search-index/fold-case";
import { type OpenSection, readRuns } from "@web-tester/search-index/open-segment";
import { countMatches, type DocumentMatches, type Sought } from "@web-tester/search-index/segment-reader";
import { matchLines } from "./match-lines.js";
import { sharedBytes, sharedIntegers } from "./shared.js";

/** A task that decodes a section's sequences. */
export interface OpenTask {
  documents: number;
  sequences: Uint8Array;
}

/** A task that counts a phrase in the documents of a pack. */
export interface PackTask {
  section: OpenSection;
  sought: Sought;
}

/** A task that folds contents that are in no pack yet into the form that is searched. */
export interface FoldTask {
  contents: { bytes: Uint8Array; charset: string }[];
  scope: SearchScope;
}

/** A task that counts a phrase in folded texts. */
export interface TextTask {
  texts: Uint8Array[];
  needle: Uint8Array;
}

/** A task that finds the lines of one page on which a phrase begins. */
export interface LinesTask {
  bytes: Uint8Array;
  charset: string | null;
  scope: SearchScope;
  phrase: string;
  limit: number;
  offset: number;
}

export type SearchTask =
  | ({ kind: "open" } & OpenTask)
  | ({ kind: "pack" } & PackTask)
  | ({ kind: "fold" } & FoldTask)
  | ({ kind: "texts" } & TextTask)
  | ({ kind: "lines" } & LinesTask);

/** Executes a task; called in a worker thread. */
export default function work(
  task: SearchTask,
): DocumentMatches | Pick<OpenSection, "runEnds" | "runs"> | SnapshotMatches | Uint8Array[] {
  switch (task.kind) {
    case "open":
      return openRuns(task);
    case "pack":
      return countMatches(task.section, task.sought);
    case "fold":
      return foldContents(task);
    case "texts":
      return countInTexts(task);
    case "lines":
      return linesOf(task);
    default:
      return assertNever(task);
  }
}

function openRuns({ documents, sequences }: OpenTask): Pick<OpenSection, "runEnds" | "runs"> {
  const { runEnds, runs } = readRuns(documents, sequences);
  return { runEnds: sharedIntegers(runEnds), runs: sharedIntegers(runs) };
}

function foldContents({ contents, scope }: FoldTask): Uint8Array[] {
  const folder = new Folder();
  return contents.map(({ bytes, charset }) =>
    sharedBytes(
      folder.fold(
        scope === "html" ? utf8As(bytes, charset) : Buffer.from(visibleText(decodeAs(bytes, charset)), "utf8"),
      ),
    ),
  );
}

function countInTexts({ texts, needle }: TextTask): DocumentMatches {
  const positions: number[] = [];
  const counts: number[] = [];
  for (const [position, { buffer, byteOffset, byteLength }] of texts.entries()) {
    const text = Buffer.from(buffer, byteOffset, byteLength);
    let count = 0;
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) count += 1;
    if (count === 0) continue;
    positions.push(position);
    counts.push(count);
  }
  return { positions: Int32Array.from(positions), counts: Int32Array.from(counts) };
}

/** Finds the lines of one page on which a phrase begins; for a page of 10 MiB this may take seconds. */
export function linesOf({ bytes, charset, scope, phrase, limit, offset }: LinesTask): SnapshotMatches {
  const html = decodeAs(bytes, charset);
  return matchLines(scope === "html" ? html : visibleText(html), phrase, { limit, offset });
}
