import { assertNever } from "@web-tester/contracts/assert-never";
import type { SearchScope } from "@web-tester/contracts/entities";
import { decodeAs } from "@web-tester/html/decode-as";
import { visibleText } from "@web-tester/html/visible-text";
import { foldBytes } from "@web-tester/platform/search/fold-case";
import {
  countInChunks,
  countInDocuments,
  type DocumentMatches,
  type ReadSection,
} from "@web-tester/platform/search/section-reader";

/** Counts a phrase in the documents of a pack. `near`: frames of which a document must have a part; null: any document. */
export interface PackTask {
  kind: "pack";
  section: ReadSection;
  needle: Uint8Array;
  straddles: boolean;
  near: number[] | null;
}

/** Counts a phrase in contents that are in no pack yet. */
export interface ContentTask {
  kind: "contents";
  contents: { bytes: Uint8Array; charset: string }[];
  needle: Uint8Array;
  scope: SearchScope;
}

/** Runs in a worker thread. */
export default function work(task: PackTask | ContentTask): DocumentMatches {
  switch (task.kind) {
    case "pack":
      return task.straddles
        ? countInDocuments(task.section, task.needle, task.near === null ? null : new Set(task.near))
        : countInChunks(task.section, task.needle);
    case "contents":
      return countInContents(task);
    default:
      return assertNever(task);
  }
}

function countInContents({ contents, needle, scope }: ContentTask): DocumentMatches {
  const counts = contents.map(({ bytes, charset }) => {
    const html = decodeAs(bytes, charset);
    const text = Buffer.from(foldBytes(Buffer.from(scope === "html" ? html : visibleText(html), "utf8")));
    let count = 0;
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) count += 1;
    return count;
  });
  return { positions: Int32Array.from(counts.keys()), counts: Int32Array.from(counts) };
}
