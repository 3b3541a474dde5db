import { AppError } from "@web-tester/contracts/errors";
import type { Queryable } from "@web-tester/platform/database/database";
import { ContentLost, type ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { WaitingEntry } from "@web-tester/records/search/search-entries";
import { readPack, type StoredPack } from "@web-tester/records/search/search-segments";
import type { Document } from "../pure/packed-documents.js";
import type { MergedPack } from "./pack-worker.js";

/** The bytes of one part; as much is read ahead. */
const partBytes = 1024 * 1024;
const readsAtOnce = 16;

/** Reads contents to be packed, a few at once. */
export class ContentReading {
  /** The entries that were read, in the order in which `parts` yields them. */
  readonly read: WaitingEntry[] = [];
  /** Entries that cannot be read, now or later. */
  readonly problems: { entry: WaitingEntry; problem: string }[] = [];
  /** The error that stopped the reading; null where none did. */
  failure: { cause: unknown } | null = null;

  constructor(
    private readonly store: Pick<ObjectStore, "read">,
    private readonly entries: readonly WaitingEntry[],
  ) {}

  async *parts(): AsyncIterable<Document[]> {
    for (let from = 0; from < this.entries.length;) {
      const next = this.entries.slice(from, from + readsAtOnce);
      const part = next.slice(0, endWithin(next, partBytes));
      from += part.length;
      const found = await this.readAll(part);
      const documents = found.flatMap((bytes, index) => {
        const entry = part[index];
        if (bytes === null || entry === undefined) return [];
        this.read.push(entry);
        return [{ bytes, charset: entry.charset }];
      });
      if (documents.length > 0) yield documents;
    }
  }

  private async readAll(entries: readonly WaitingEntry[]): Promise<(Uint8Array | null)[]> {
    try {
      return await Promise.all(entries.map((entry) => this.readOne(entry)));
    } catch (cause) {
      this.failure = { cause };
      throw cause;
    }
  }

  private async readOne(entry: WaitingEntry): Promise<Uint8Array | null> {
    try {
      return await this.store.read(entry.hash);
    } catch (error) {
      if (!(error instanceof AppError) || error.retryable) throw error;
      this.problems.push({ entry, problem: error.message });
      return null;
    }
  }
}

/** Reads packs one after the other. */
export class PackReading {
  /** The documents that are kept, in the order of the packs. */
  readonly documents: StoredPack["live"] = [];
  /** The pack whose bytes the object store has lost. */
  lost: string | null = null;

  constructor(
    private readonly tx: Queryable,
    private readonly store: Pick<ObjectStore, "read">,
    private readonly packs: readonly { id: string }[],
  ) {}

  async *parts(): AsyncIterable<MergedPack> {
    for (const { id } of this.packs) {
      const { sections, live } = await readPack(this.tx, this.store, id).catch((error: unknown) => {
        if (error instanceof ContentLost) this.lost = id;
        throw error;
      });
      this.documents.push(...live);
      yield { sections, live: live.map(({ position }) => position) };
    }
  }
}

/** Returns how many of the first entries have no more than `maxBytes` together; at least one. */
export function endWithin(entries: readonly WaitingEntry[], maxBytes: number): number {
  let bytes = 0;
  const end = entries.findIndex(({ size }, index) => {
    bytes += size ?? 0;
    return bytes > maxBytes && index > 0;
  });
  return end === -1 ? entries.length : end;
}
