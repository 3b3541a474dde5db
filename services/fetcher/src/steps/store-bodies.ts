import type { Database } from "@web-tester/platform/database/database";
import { announceBases, touchContent } from "@web-tester/records/contents/touch-contents";
import type { ClaimedSnapshot } from "@web-tester/records/snapshots/claim-snapshots";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";

/** A fetched body with its SHA-256 (hex). */
export interface FetchedBody {
  hash: string;
  body: Buffer;
  snapshot: Pick<ClaimedSnapshot, "dictionary" | "previous">;
}

/** Content that a snapshot shares with an earlier one, because the server said that it has not changed. */
export interface SharedContent {
  hash: string;
  size: number;
}

export interface StoredBodies {
  /** By hash, the bytes that the store takes for each body that was written now. */
  storedSizes: Map<string, number>;
  /** Hashes of shared content that is no longer stored. */
  gone: Set<string>;
}

/**
 * Writes the bodies that the object store lacks: each packed against the keyframe of its page or the dictionary of its
 * site. A row protects that base before the blob that depends on it is written; where that is refused, the body is written
 * without a base.
 */
export async function storeBodies(
  { db, store }: { db: Database; store: ObjectStore },
  bodies: readonly FetchedBody[],
  shared: readonly SharedContent[],
): Promise<StoredBodies> {
  const byHash = new Map(bodies.map((fetched) => [fetched.hash, fetched]));
  const sizes = new Map([
    ...shared.map(({ hash, size }) => [hash, size] as const),
    ...bodies.map(({ hash, body }) => [hash, body.length] as const),
  ]);
  const storedSizes = new Map<string, number>();
  if (sizes.size === 0) return { storedSizes, gone: new Set() };
  const missing = await touchContent(db, sizes);
  const packed = await Promise.all(
    [...missing].flatMap((hash) => {
      const fetched = byHash.get(hash);
      return fetched === undefined ? [] : [pack(store, fetched)];
    }),
  );
  const granted = await announceBases(
    db,
    packed.flatMap(({ hash, object: { base, depth } }) =>
      base === null ? [] : [{ hash, base: base.toString("hex"), depth }],
    ),
  );
  await Promise.all(
    packed.map(async ({ hash, body, object }) => {
      const key = Buffer.from(hash, "hex");
      const written =
        object.base === null || granted.has(hash) ? await store.writePacked(key, object) : await store.write(key, body);
      storedSizes.set(hash, written.storedSize);
    }),
  );
  const gone = shared.map(({ hash }) => hash).filter((hash) => missing.has(hash) && !byHash.has(hash));
  return { storedSizes, gone: new Set(gone) };
}

async function pack(store: ObjectStore, { hash, body, snapshot: { dictionary, previous } }: FetchedBody) {
  const object = await store.pack(body, { keyframe: keyOf(previous?.keyframe), dictionary: keyOf(dictionary) });
  return { hash, body, object };
}

function keyOf(hash: string | null | undefined): Buffer | null {
  return hash == null ? null : Buffer.from(hash, "hex");
}
