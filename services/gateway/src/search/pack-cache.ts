import { coalesceRuns } from "@web-tester/platform/lifecycle/coalesce";
import { LRUCache } from "lru-cache";
import type { SearchScope } from "@web-tester/contracts/entities/search";
import type { Queryable } from "@web-tester/platform/database/database";
import { ContentLost, type ObjectStore } from "@web-tester/platform/object-store/object-store";
import { giveUpPack } from "@web-tester/records/search/search-segments";
import type { OpenSection } from "@web-tester/search-index/open-segment";
import type { Section } from "@web-tester/search-index/segment";
import { splitSegment } from "@web-tester/search-index/segment-bytes";
import type { ScanPool } from "./scan-pool.js";
import type { ContentKey } from "./select-contents.sql.js";
import { type PackBody, selectPackBody } from "./select-packs.sql.js";
import { sharedBytes, sharedIntegers } from "./shared.js";

/** A pack's text in memory that the worker threads share. */
export interface LoadedPack {
  section: OpenSection;
  keyOf(position: number): ContentKey;
}

/** Caches recently searched packs, up to `maxBytes`. Packs are immutable, so nothing here can be outdated. */
export class PackCache {
  private readonly kept: LRUCache<string, LoadedPack>;
  private readonly share = coalesceRuns();

  constructor(
    private readonly db: Queryable,
    private readonly store: Pick<ObjectStore, "read">,
    private readonly pool: Pick<ScanPool, "open">,
    maxBytes: number,
  ) {
    this.kept = new LRUCache({ maxSize: maxBytes, maxEntrySize: maxBytes / 2 });
  }

  /** Loads a pack; null where it is gone, or its bytes are, in which case it is made again. */
  async load(packId: string, scope: SearchScope): Promise<LoadedPack | null> {
    const key = `${packId}:${scope}`;
    const known = this.kept.get(key);
    return known ?? this.share(key, () => this.read(key, packId, scope));
  }

  private async read(key: string, packId: string, scope: SearchScope): Promise<LoadedPack | null> {
    const row = await selectPackBody(this.db, packId, scope);
    if (row === null) return null;
    const bytes = await this.bytesOf(row.content, packId);
    if (bytes === null) return null;
    const { documents } = row;
    const { body, sequences } = splitSegment(bytes, row.frameEnds);
    const pack = toLoaded(row, body, await this.pool.open({ documents, sequences }));
    this.kept.set(key, pack, { size: sizeOf(pack.section) + row.hashes.length + row.charsetOf.length + 1 });
    return pack;
  }

  private async bytesOf(content: Buffer, packId: string): Promise<Buffer | null> {
    try {
      return await this.store.read(content);
    } catch (error) {
      if (!(error instanceof ContentLost)) throw error;
      await giveUpPack(this.db, packId);
      return null;
    }
  }
}

function toLoaded(
  { documents, frameEnds, frameChunks, hashes, charsets, charsetOf }: PackBody,
  body: Section["body"],
  runs: Pick<OpenSection, "runEnds" | "runs">,
): LoadedPack {
  return {
    section: {
      documents,
      frameEnds: sharedIntegers(frameEnds),
      frameChunks: sharedIntegers(frameChunks),
      body: sharedBytes(body),
      ...runs,
    },
    keyOf: (position) =>
      `${hashes.toString("hex", position * 32, position * 32 + 32)}:${charsets[charsetOf[position] ?? 0] ?? "utf-8"}`,
  };
}

function sizeOf({ body, runs, runEnds, frameEnds, frameChunks }: OpenSection): number {
  return [body, runs, runEnds, frameEnds, frameChunks].reduce((sum, { byteLength }) => sum + byteLength, 0);
}
