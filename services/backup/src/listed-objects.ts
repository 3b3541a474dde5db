import type { WantedObject } from "./copy-objects.js";
import { rowFileLines } from "./row-files.js";

/** Yields the objects that a dump lists, in order of hash. @param folder the folder of the rows */
export async function* listedObjects(folder: string, file: string): AsyncIterable<WantedObject> {
  for await (const line of rowFileLines(folder, file)) {
    const [hash = "", base = "", stored = "t"] = line.split("\t");
    // \N is COPY's notation for null; lists of older backups have no third column and hold only stored objects
    yield {
      hash: Buffer.from(hash, "hex"),
      base: base === "\\N" ? null : Buffer.from(base, "hex"),
      stored: stored === "t",
    };
  }
}
