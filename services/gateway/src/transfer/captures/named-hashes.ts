import { createHash } from "node:crypto";
import { z } from "zod";
import type { LeftOut } from "./left-out.js";

const filesMax = 10_000;
const descriptionMaxBytes = 8 * 1024 ** 2;
const descriptionName = "datapackage.json";
const digestName = "datapackage-digest.json";

const resource = z.object({ path: z.string(), hash: z.string() });
const description = z.object({ resources: z.array(resource) });

/** Compares the files of a WACZ with the hashes that its `datapackage.json` names for them (WACZ 1.1.1 §5.2.4), and that with the hash of it. */
export class NamedHashes {
  /** SHA-256 in hex of the files that were read whole, by their names. */
  private readonly found = new Map<string, string>();
  private readonly names = new Set<string>();
  private readonly named = new Map<string, string>();
  private hasMore = false;

  /** Passes the chunks of a file on, and remembers their hash if all of them are read. */
  async *file(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    if (this.names.size >= filesMax) {
      this.hasMore = true;
      return yield* chunks;
    }
    this.names.add(name);
    const hash = createHash("sha256");
    const parts: Uint8Array[] = [];
    let bytes = 0;
    const isDescription = name === descriptionName || name === digestName;
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      if (isDescription && bytes <= descriptionMaxBytes) parts.push(Buffer.from(chunk));
      yield chunk;
    }
    this.found.set(name, hash.digest("hex"));
    if (isDescription && bytes <= descriptionMaxBytes) this.describe(name, Buffer.concat(parts).toString("utf8"));
  }

  /** Says which files are not what their archive names, or are not in it; without a description, nothing. */
  tell(leftOut: LeftOut): void {
    if (this.hasMore && this.named.size > 0)
      leftOut.say(
        `The file has more than ${filesMax.toLocaleString("en")} files; only the first ones were compared with the hashes in its ${descriptionName}.`,
      );
    for (const [path, hash] of this.named) {
      const found = this.found.get(path);
      const shown = path.slice(0, 80);
      if (found !== undefined && found !== hash)
        leftOut.say(
          `“${shown}” in the file is not what its ${path === descriptionName ? digestName : descriptionName} says: it was changed or damaged after the archive was made. What it has was read all the same.`,
        );
      // one that was not read whole is known to be damaged
      else if (!this.names.has(path) && this.names.size < filesMax)
        leftOut.say(`“${shown}” is named by the file's ${descriptionName}, and is not in the file.`);
    }
  }

  private describe(name: string, text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    const entries =
      name === digestName ? [resource.safeParse(value).data] : (description.safeParse(value).data?.resources ?? []);
    for (const entry of entries) {
      const hash = /^sha256:([0-9a-f]{64})$/i.exec(entry?.hash ?? "")?.[1];
      if (entry !== undefined && hash !== undefined && this.named.size < filesMax)
        this.named.set(entry.path, hash.toLowerCase());
    }
  }
}
