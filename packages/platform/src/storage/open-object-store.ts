import { createHash, hash as hashOnce } from "node:crypto";
import { setImmediate as otherWork } from "node:timers/promises";
import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { type CachedBase, createBaseCache } from "./base-cache.js";
import { createBucketDriver, type Credentials } from "./bucket-driver.js";
import { type Base, headerBytes, isFitAsBase, openEnvelope, unwrap, wrap } from "./envelope.js";
import { createFolderDriver } from "./folder-driver.js";
import type { ObjectDriver } from "./object-driver.js";
import { hashOfKey, objectKey } from "./object-key.js";
import { type Bases, ContentLost, type ListedObject, type ObjectStore, type PackedObject } from "./object-store.js";
import { parseStorageUrl } from "./storage-url.js";

/** Objects are never larger than what one load may bring. */
const maxBytes = budgets.pageMaxBytes;

/** The name of content in the object store: its SHA-256, 32 bytes. */
export function hashContent(content: Uint8Array): Buffer {
  return hashOnce("sha256", content, "buffer");
}

/** Hashed in one go: 2 ms, and 10 on a processor without instructions for it. */
const hashStepBytes = 4 * 1024 * 1024;

/**
 * As `hashContent`, other work being let in between the parts of long content, which must not change meanwhile. Another thread
 * would be no help: handing the bytes over takes this one longer than hashing them does (25 MiB: 30 ms against 14).
 */
export async function hashInSteps(content: Uint8Array): Promise<Buffer> {
  if (content.length <= hashStepBytes) return hashContent(content);
  const hash = createHash("sha256");
  for (let from = 0; from < content.length; from += hashStepBytes) {
    hash.update(content.subarray(from, from + hashStepBytes));
    await otherWork();
  }
  return hash.digest();
}

/**
 * Opens the object store at a storage address (see `parseStorageUrl`). Nothing is contacted until the first call.
 * @param credentials for S3, instead of the usual `AWS_*` variables
 * @throws AppError invalid_input when the address is not valid
 */
export function openObjectStore(storageUrl: string, credentials?: Credentials): ObjectStore {
  return createObjectStore(openObjectDriver(storageUrl, credentials));
}

/** Opens the place itself, for whoever copies objects as they are stored. @throws AppError invalid_input */
export function openObjectDriver(storageUrl: string, credentials?: Credentials): ObjectDriver {
  const location = parseStorageUrl(storageUrl);
  return location.kind === "folder" ? createFolderDriver(location) : createBucketDriver(location, credentials);
}

/** Decoded bases kept for the next page or version that needs them. */
const baseCacheBytes = 8 * 1024 * 1024;
/** A version that takes more than this share of what its keyframe took by itself becomes a keyframe. */
const versionWorthMax = 0.5;
/** A version rests on a keyframe, and that one on a dictionary: what says otherwise was not written by this product. */
const basesMax = 2;

/** An object store over any place for bytes. */
export function createObjectStore(driver: ObjectDriver): ObjectStore {
  const cache = createBaseCache(baseCacheBytes);

  async function* list(): AsyncIterable<ListedObject> {
    for await (const { key, size, modifiedAt } of driver.list()) {
      const hash = hashOfKey(key);
      if (hash !== null) yield { hash, storedSize: size, modifiedAt };
    }
  }

  /** The content of an object and what it takes; not verified. */
  async function load(hash: Buffer, basesLeft: number): Promise<CachedBase> {
    const stored = await driver.get(objectKey(hash), maxBytes + headerBytes);
    if (stored === null) throw new ContentLost("content_missing", hash);
    try {
      const envelope = openEnvelope(stored, maxBytes);
      if (envelope.base !== null && basesLeft === 0)
        throw new AppError("content_damaged", "It rests on too many others.");
      const base = envelope.base === null ? null : await loadBase(envelope.base, basesLeft - 1);
      return { bytes: await unwrap(envelope, base?.bytes ?? null), storedSize: stored.length };
    } catch (error) {
      if (error instanceof AppError && error.code === "content_damaged")
        throw new ContentLost("content_damaged", hash, error);
      throw error;
    }
  }

  /**
   * What rests on a version is verified by its own hash, and the version is seldom needed again; a dictionary is verified
   * before it is kept for everything that rests on it.
   */
  async function loadBase({ hash, kind }: Base, basesLeft: number): Promise<CachedBase> {
    if (kind === "version") return cache.get(hash.toString("hex")) ?? load(hash, basesLeft);
    return verifiedBase(hash, basesLeft);
  }

  async function verifiedBase(hash: Buffer, basesLeft: number): Promise<CachedBase> {
    const name = hash.toString("hex");
    const known = cache.get(name);
    if (known !== undefined) return known;
    const base = await load(hash, basesLeft);
    if (!(await hashInSteps(base.bytes)).equals(hash)) throw new ContentLost("content_damaged", hash);
    cache.set(name, base);
    return base;
  }

  /** Null where it cannot serve: then the content stands alone, which is always right. */
  async function usableBase(hash: Buffer | null, basesLeft: number): Promise<(CachedBase & { hash: Buffer }) | null> {
    if (hash === null) return null;
    try {
      const base = await verifiedBase(hash, basesLeft);
      return isFitAsBase(base.bytes) ? { ...base, hash } : null;
    } catch (error) {
      if (error instanceof ContentLost) return null;
      throw error;
    }
  }

  async function pack(bytes: Uint8Array, { keyframe, dictionary }: Bases): Promise<PackedObject> {
    requireStorable(bytes);
    const version = await usableBase(keyframe, 1);
    if (version !== null) {
      const stored = await wrap(bytes, { hash: version.hash, kind: "version", bytes: version.bytes });
      const expected = (version.storedSize / version.bytes.length) * bytes.length;
      if (baseOf(stored) !== null && stored.length <= expected * versionWorthMax)
        return { size: bytes.length, stored, base: version.hash, depth: 1 };
    }
    const shared = await usableBase(dictionary, 0);
    const stored = await wrap(
      bytes,
      shared === null ? null : { hash: shared.hash, kind: "dictionary", bytes: shared.bytes },
    );
    return { size: bytes.length, stored, base: baseOf(stored), depth: 0 };
  }

  async function writePacked(hash: Buffer, { size, stored }: PackedObject) {
    await driver.put(objectKey(hash), stored);
    return { size, storedSize: stored.length };
  }

  return {
    write: async (hash, bytes) => {
      objectKey(hash);
      requireStorable(bytes);
      return writePacked(hash, { size: bytes.length, stored: await wrap(bytes), base: null, depth: 0 });
    },
    pack,
    writePacked,
    async read(hash) {
      const { bytes } = await load(hash, basesMax);
      if (!(await hashInSteps(bytes)).equals(hash)) throw new ContentLost("content_damaged", hash);
      return bytes;
    },
    has: async (hash) => driver.has(objectKey(hash)),
    delete: async (hash) => driver.delete(objectKey(hash)),
    list,
    async usage() {
      let bytes = 0;
      for await (const { storedSize } of list()) bytes += storedSize;
      return { bytes };
    },
    check: () => driver.check(),
    close: () => driver.close(),
  };
}

function requireStorable(bytes: Uint8Array): void {
  if (bytes.length > maxBytes)
    throw new AppError("too_large", `Content of ${bytes.length} bytes is not stored: the limit is ${maxBytes}.`);
}

function baseOf(stored: Buffer): Buffer | null {
  return openEnvelope(stored, maxBytes).base?.hash ?? null;
}
