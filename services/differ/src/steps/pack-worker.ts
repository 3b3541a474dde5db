import { on } from "node:events";
import type { MessagePort } from "node:worker_threads";
import { assertNever } from "@web-tester/contracts/assert-never";
import { decodeAs, utf8As } from "@web-tester/html/charset/decode-as";
import { visibleText } from "@web-tester/html/text/visible-text";
import type { PackSections } from "@web-tester/records/search/search-segments";
import { Folder } from "@web-tester/search-index/fold-case";
import { openSection } from "@web-tester/search-index/open-segment";
import { SectionWriter } from "@web-tester/search-index/segment-writer";
import { type PackedDocuments, unpackDocuments } from "../pure/packed-documents.js";

/**
 * A task to make a pack of contents (parts: `PackedDocuments`) or of other packs, whose contents are not read again
 * (parts: `MergedPack`).
 */
export interface PackTask {
  kind: "build" | "merge";
  /**
   * Answers each message with a part, and with null after the last. A message is the memory of the previous part, to be
   * reused, or null.
   */
  parts: MessagePort;
}

/** A pack to be merged; `live` holds the positions of its documents that are kept, ascending. */
export interface MergedPack {
  sections: PackSections;
  live: readonly number[];
}

/** Makes a pack, in a worker thread. */
export default async function work({ kind, parts }: PackTask): Promise<PackSections> {
  const html = new SectionWriter();
  const text = new SectionWriter();
  const folder = new Folder();
  switch (kind) {
    case "build":
      for await (const documents of received<PackedDocuments>(parts, ({ bytes }) => bytes)) {
        for (const { bytes, charset } of unpackDocuments(documents)) {
          html.add(folder.fold(utf8As(bytes, charset)));
          text.add(folder.fold(encoded(visibleText(decodeAs(bytes, charset)))));
        }
      }
      break;
    case "merge":
      for await (const { sections, live } of received<MergedPack>(parts, () => null)) {
        const positions = Int32Array.from(live);
        html.addFrom(openSection(sections.html), positions);
        text.addFrom(openSection(sections.text), positions);
      }
      break;
    default:
      return assertNever(kind);
  }
  return { html: html.finish(), text: text.finish() };
}

let room = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Encodes a text in UTF-8; the result is valid until the next call. Memory of its own for each text would make V8 collect
 * garbage every few pages.
 */
function encoded(text: string): Uint8Array {
  const most = text.length * 3;
  if (most > room.length) room = Buffer.allocUnsafeSlow(most);
  return room.subarray(0, room.write(text, "utf8"));
}

/** Asks for parts one after the other. @param memoryOf the memory of a part that is given back when the next one is asked for */
async function* received<Part>(port: MessagePort, memoryOf: (part: Part) => ArrayBuffer | null): AsyncIterable<Part> {
  const messages = on(port, "message", { close: ["close"] });
  for (let memory: ArrayBuffer | null = null; ;) {
    port.postMessage(memory, memory === null ? [] : [memory]);
    const next = await messages.next();
    if (next.done === true) throw new Error("What was to be packed did not come.");
    // the thread that made the task knows the type of its parts
    const [part] = next.value as [Part | null];
    if (part === null) return;
    yield part;
    memory = memoryOf(part);
  }
}
