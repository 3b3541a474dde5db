import { LRUCache } from "lru-cache";
import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { hashContent, isNamedBy, objectKey } from "./content-hash.js";
import {
  type Base,
  type Envelope,
  headerBytes,
  isFitAsBase,
  loadBase,
  openEnvelope,
  unwrap,
  unwrapLoaded,
} from "./envelope.js";
import type { ObjectDriver } from "./object-driver.js";
import { ContentLost } from "./object-store.js";
import { isSmall, type LoadedDictionary, openSmallZstd, type SmallZstd } from "./small-zstd.js";

/** The most bytes of an object: it is never larger than what one page load may bring. */
export const maxBytes = budgets.pageMaxBytes;
/** Size of the cache for decoded dictionaries and large keyframes, which the next pages or versions need. */
const baseCacheBytes = 8 * 1024 * 1024;
const baseCacheShare = 1 / 4;
/** A version is based on a keyframe, and that on a dictionary: a longer chain was not written by this product. */
const basesMax = 2;

/** The content of a base, and the bytes that its stored form takes. Cached bytes are never handed out. */
interface CachedBase {
  bytes: Buffer;
  storedSize: number;
}

/** A base that was verified against its hash and is fit to compress against. */
type UsableBase = CachedBase & { hash: Buffer };

/** A keyframe loaded into the codec's memory; `size` is that of its content, `storedSize` that of its stored form. */
interface LoadedKeyframe {
  size: number;
  storedSize: number;
  loaded: LoadedDictionary;
}

/** Reads content out of its stored form, resolving the bases that it was compressed against. */
export interface ContentReader {
  /** The content, verified. @throws AppError content_missing or content_damaged */
  read(hash: Buffer): Promise<Buffer>;
  /** Returns a base to compress against; null when it cannot serve, in which case the content is stored without a base, which is always right. */
  usableBase(hash: Buffer, basesLeft: number): Promise<UsableBase | null>;
  /**
   * Calls `use` with a keyframe that is loaded into the codec, verified and fit; its bytes are never copied.
   * @returns null when the keyframe cannot serve; `large` when it does not fit into the codec's memory
   */
  againstKeyframe<T>(hash: Buffer, use: (keyframe: LoadedKeyframe, zstd: SmallZstd) => T): Promise<T | "large" | null>;
}

type Stored = Envelope & { storedSize: number };
let readers = 0;

export function createContentReader(driver: ObjectDriver): ContentReader {
  return new DriverReader(driver);
}

class DriverReader implements ContentReader {
  readonly #cache = new LRUCache<string, CachedBase>({
    maxSize: baseCacheBytes,
    maxEntrySize: baseCacheBytes * baseCacheShare,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes.length),
  });
  readonly #ownName = `${readers++}`;
  /** What the driver itself threw. */
  readonly #errorsOfPlace = new WeakSet<Error>();

  constructor(private readonly driver: ObjectDriver) {}

  /**
   * One wrong answer, as of a proxy in between, is no loss: content that came damaged is read a second time before it is said to be. A place that
   * knows itself that it cannot read something has been asked enough.
   */
  async read(hash: Buffer): Promise<Buffer> {
    try {
      return await this.#readOnce(hash);
    } catch (error) {
      if (!(error instanceof ContentLost) || error.code !== "content_damaged" || this.#isOfPlace(error)) throw error;
    }
    return this.#readOnce(hash);
  }

  #isOfPlace(error: unknown): boolean {
    return error instanceof Error && (this.#errorsOfPlace.has(error) || this.#isOfPlace(error.cause));
  }

  async #readOnce(hash: Buffer): Promise<Buffer> {
    const stored = await this.#open(hash);
    if (stored.base?.kind === "version") {
      const content = await nullIfUnusable(() => this.#contentOf(hash, stored, basesMax));
      if (content !== null && (await isNamedBy(hash, content))) return content;
      // the loaded keyframe may have been damaged when it was read, and have been repaired since
      (await openSmallZstd()).unload(this.#nameOf(stored.base.hash));
    }
    const content = await this.#contentOf(hash, stored, basesMax);
    if (!(await isNamedBy(hash, content))) throw damaged(hash);
    return content;
  }

  usableBase(hash: Buffer, basesLeft: number): Promise<UsableBase | null> {
    return nullIfUnusable(async () => {
      const base = await this.#verifiedBase(hash, basesLeft);
      return isFitAsBase(base.bytes) ? { ...base, hash } : null;
    });
  }

  againstKeyframe<T>(hash: Buffer, use: (keyframe: LoadedKeyframe, zstd: SmallZstd) => T): Promise<T | "large" | null> {
    return nullIfUnusable(() => this.#keyframeContent(hash, use));
  }

  /** The name of a base in the codec, which all readers of the process share: each reader has its own prefix. */
  #nameOf(hash: Buffer): string {
    return `${this.#ownName} ${hash.toString("hex")}`;
  }

  async #open(hash: Buffer): Promise<Stored> {
    try {
      const bytes = await this.driver.get(objectKey(hash), maxBytes + headerBytes).catch((error: unknown) => {
        if (error instanceof Error) this.#errorsOfPlace.add(error);
        throw error;
      });
      if (bytes === null) throw new ContentLost("content_missing", hash);
      return { ...openEnvelope(bytes, maxBytes), storedSize: bytes.length };
    } catch (error) {
      throw damagedIf(error, hash);
    }
  }

  /** Decodes content without verifying its hash. */
  async #contentOf(hash: Buffer, stored: Stored, basesLeft: number): Promise<Buffer> {
    try {
      if (stored.base === null) return await unwrap(stored, null);
      if (basesLeft === 0) throw new AppError("content_damaged", "It rests on too many others.");
      if (stored.base.kind === "version" && isSmall(stored.size))
        return await this.#versionContent(stored, stored.base, basesLeft - 1);
      return await unwrap(stored, await this.#baseContent(stored.base, basesLeft - 1));
    } catch (error) {
      throw damagedIf(error, hash);
    }
  }

  /** Decodes a version. A keyframe is decompressed only once for versions that are read soon after one another, whichever pages they belong to. */
  async #versionContent(stored: Stored, base: Base, basesLeft: number): Promise<Buffer> {
    const zstd = await openSmallZstd();
    const name = this.#nameOf(base.hash);
    const loaded = zstd.find(name);
    if (loaded !== undefined) return unwrapLoaded(stored, loaded, zstd);
    const keyframe = await this.#open(base.hash);
    const dictionary =
      keyframe.base?.kind === "dictionary" ? await this.#baseContent(keyframe.base, basesLeft - 1) : null;
    if (!isLoadable(keyframe, dictionary)) return unwrap(stored, await this.#contentOf(base.hash, keyframe, basesLeft));
    return unwrapLoaded(stored, loadBase(name, keyframe, dictionary, zstd), zstd);
  }

  /**
   * Decodes a base. A keyframe is not verified, as the hash of the version that is based on it is; a dictionary is, because it is cached
   * for everything that is based on it.
   */
  async #baseContent({ hash, kind }: Base, basesLeft: number): Promise<Buffer> {
    if (kind === "dictionary") return (await this.#verifiedBase(hash, basesLeft)).bytes;
    return this.#cache.get(hash.toString("hex"))?.bytes ?? this.#contentOf(hash, await this.#open(hash), basesLeft);
  }

  async #verifiedBase(hash: Buffer, basesLeft: number): Promise<CachedBase> {
    const name = hash.toString("hex");
    const known = this.#cache.get(name);
    if (known !== undefined) return known;
    const stored = await this.#open(hash);
    const base = { bytes: await this.#contentOf(hash, stored, basesLeft), storedSize: stored.storedSize };
    if (!(await isNamedBy(hash, base.bytes))) throw damaged(hash);
    this.#cache.set(name, base);
    return base;
  }

  async #keyframeContent<T>(
    hash: Buffer,
    use: (keyframe: LoadedKeyframe, zstd: SmallZstd) => T,
  ): Promise<T | "large" | null> {
    const zstd = await openSmallZstd();
    const keyframe = await this.#open(hash);
    if (keyframe.base?.kind === "version") return null;
    const dictionary = keyframe.base === null ? null : await this.#baseContent(keyframe.base, 0);
    if (!isLoadable(keyframe, dictionary)) return "large";
    const name = this.#nameOf(hash);
    try {
      const loaded = loadBase(name, keyframe, dictionary, zstd);
      const bytes = zstd.bytesOf(loaded);
      const { size, storedSize } = keyframe;
      return hashContent(bytes).equals(hash) && isFitAsBase(bytes) ? use({ size, storedSize, loaded }, zstd) : null;
    } catch (error) {
      throw damagedIf(error, hash);
    } finally {
      // a page is packed once in a run: its keyframe is not needed again soon
      zstd.unload(name);
    }
  }
}

/** Whether a keyframe can be loaded into the codec. One whose base is a version was not written by this product; the ordinary way of reading reports it. */
function isLoadable({ size, payload, base }: Stored, dictionary: Buffer | null): boolean {
  return base?.kind !== "version" && payload.length <= size && isSmall(size, dictionary?.length);
}

async function nullIfUnusable<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ContentLost) return null;
    throw error;
  }
}

function damagedIf(error: unknown, hash: Buffer): unknown {
  return error instanceof AppError && error.code === "content_damaged" ? damaged(hash, error) : error;
}

function damaged(hash: Buffer, cause?: unknown): ContentLost {
  return new ContentLost("content_damaged", hash, cause);
}
