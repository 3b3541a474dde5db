import { assertNever } from "@web-tester/contracts/assert-never";
import { decodeAs } from "@web-tester/html/charset/decode-as";
import { visibleText } from "@web-tester/html/text/visible-text";
import type { PackSections } from "@web-tester/records/search/search-segments";
import { foldBytes } from "@web-tester/search-index/fold-case";
import { openSection } from "@web-tester/search-index/open-segment";
import type { Section } from "@web-tester/search-index/segment";
import { eachWholeDocument } from "@web-tester/search-index/segment-reader";
import { SectionWriter } from "@web-tester/search-index/segment-writer";
import { type PackedDocuments, unpackDocuments } from "../pure/packed-documents.js";

/** Makes a pack of contents. */
export interface BuildTask {
  kind: "build";
  contents: PackedDocuments;
}
/** Makes one pack of several, without reading their contents again. `live`: positions that are kept, ascending. */
export interface MergeTask {
  kind: "merge";
  packs: { sections: PackSections; live: number[] }[];
}

/** Runs in a worker thread. */
export default function work(task: BuildTask | MergeTask): PackSections {
  switch (task.kind) {
    case "build":
      return build(task);
    case "merge":
      return { html: merge(task, "html"), text: merge(task, "text") };
    default:
      return assertNever(task);
  }
}

function build({ contents }: BuildTask): PackSections {
  const html = new SectionWriter();
  const text = new SectionWriter();
  for (const { bytes, charset } of unpackDocuments(contents)) {
    const decoded = decodeAs(bytes, charset);
    html.add(foldBytes(Buffer.from(decoded, "utf8")));
    text.add(foldBytes(Buffer.from(visibleText(decoded), "utf8")));
  }
  return { html: html.finish(), text: text.finish() };
}

function merge({ packs }: MergeTask, scope: keyof PackSections): Section {
  const writer = new SectionWriter();
  for (const { sections, live } of packs) {
    eachWholeDocument(openSection(sections[scope]), Int32Array.from(live), (_position, bytes) => writer.add(bytes));
  }
  return writer.finish();
}
