import type { SearchScope } from "@web-tester/contracts/entities";
import type { Queryable } from "@web-tester/platform/db/database";
import { type ContentKey, type PackBody, selectPackBody } from "./select-packs.sql.js";

/** A pack's text in memory that threads share. */
export interface LoadedPack {
  frameEnds: readonly number[];
  frameChunks: number[];
  body: Uint8Array;
  sequences: Uint8Array;
  keyOf(position: number): ContentKey;
}

/** Packs that were searched lately, up to `maxBytes`. They are immutable, so nothing here can be out of date. */
export class PackCache {
  private readonly kept = new Map<string, { pack: LoadedPack; bytes: number }>();
  private readonly loading = new Map<string, Promise<LoadedPack | null>>();
  private bytes = 0;

  constructor(
    private readonly db: Queryable,
    private readonly maxBytes: number,
  ) {}

  /** Null where the pack is gone. */
  async load(packId: string, scope: SearchScope): Promise<LoadedPack | null> {
    const key = `${packId}:${scope}`;
    const known = this.kept.get(key);
    if (known !== undefined) {
      // used lately: to the end of the line
      this.kept.delete(key);
      this.kept.set(key, known);
      return known.pack;
    }
    const underWay = this.loading.get(key);
    if (underWay !== undefined) return underWay;
    const load = this.read(key, packId, scope).finally(() => this.loading.delete(key));
    this.loading.set(key, load);
    return load;
  }

  private async read(key: string, packId: string, scope: SearchScope): Promise<LoadedPack | null> {
    const row = await selectPackBody(this.db, packId, scope);
    if (row === null) return null;
    const pack = toLoaded(row);
    const bytes = row.body.length + row.sequences.length + row.hashes.length + row.frameEnds.length * 16;
    if (bytes > this.maxBytes / 2) return pack;
    this.kept.set(key, { pack, bytes });
    this.bytes += bytes;
    for (const [oldest, entry] of this.kept) {
      if (this.bytes <= this.maxBytes) break;
      this.kept.delete(oldest);
      this.bytes -= entry.bytes;
    }
    return pack;
  }
}

function toLoaded({ frameEnds, frameChunks, body, sequences, hashes, charsets, charsetOf }: PackBody): LoadedPack {
  return {
    frameEnds,
    frameChunks,
    body: shared(body),
    sequences: shared(sequences),
    keyOf: (position) =>
      `${hashes.toString("hex", position * 32, position * 32 + 32)}:${charsets[charsetOf[position] ?? 0] ?? "utf-8"}`,
  };
}

function shared(bytes: Uint8Array): Uint8Array {
  const view = new Uint8Array(new SharedArrayBuffer(bytes.length));
  view.set(bytes);
  return view;
}
