import { AppError } from "@web-tester/contracts/errors";
import type { Credentials } from "./bucket-driver.js";
import { type ContentReader, createContentReader, maxBytes } from "./content-reader.js";
import { openEnvelope, wrap, wrapLoaded } from "./envelope.js";
import { createFolderDriver } from "./folder-driver.js";
import type { ObjectDriver } from "./object-driver.js";
import { hashOfKey, objectKey } from "./content-hash.js";
import type { Bases, Installation, ListedObject, ObjectStore, PackedObject } from "./object-store.js";
import { isSmall } from "./small-zstd.js";
import { type BucketLocation, parseStorageUrl } from "./storage-url.js";

export { hashContent, hashInSteps } from "./content-hash.js";

/**
 * Opens the object store at a storage address (see `parseStorageUrl`). Nothing is contacted until the first call.
 * @param credentials for S3, instead of the usual `AWS_*` variables
 * @throws AppError invalid_input when the address is not valid
 */
export function openObjectStore(storageUrl: string, credentials?: Credentials): ObjectStore {
  return createObjectStore(openObjectDriver(storageUrl, credentials));
}

/**
 * Opens the store's folder or bucket itself, to copy objects as they are stored.
 * @throws AppError invalid_input
 */
export function openObjectDriver(storageUrl: string, credentials?: Credentials): ObjectDriver {
  const location = parseStorageUrl(storageUrl);
  return location.kind === "folder" ? createFolderDriver(location) : openBucket(location, credentials);
}

/** Loads the S3 client at the first call: loading takes 0.1 s per process, and a store in a folder does not need it. */
function openBucket(location: BucketLocation, credentials?: Credentials): ObjectDriver {
  let opening: Promise<ObjectDriver> | undefined;
  let mayHaveContents: boolean | undefined;
  let owner: Installation | undefined;
  const opened = async () => {
    const driver = await (opening ??= import("./bucket-driver.js").then(({ createBucketDriver }) =>
      createBucketDriver(location, credentials),
    ));
    if (owner !== undefined) driver.belongsTo(owner);
    if (mayHaveContents !== undefined) driver.mayBeAway(mayHaveContents);
    return driver;
  };
  return {
    put: async (key, bytes) => (await opened()).put(key, bytes),
    get: async (key, limit) => (await opened()).get(key, limit),
    has: async (key) => (await opened()).has(key),
    delete: async (key) => (await opened()).delete(key),
    async *list() {
      yield* (await opened()).list();
    },
    mayBeAway: (hasContents) => void (mayHaveContents = mayHaveContents === true || hasContents),
    belongsTo: (installation) => void (owner ??= installation),
    check: async () => (await opened()).check(),
    close: () => void opening?.then((driver) => driver.close()),
  };
}

/** A version that takes more than this share of what its keyframe takes, relative to their lengths, becomes a keyframe itself. */
const versionWorthMax = 0.5;

/** Creates an object store on top of a driver. */
export function createObjectStore(place: ObjectDriver): ObjectStore {
  const { driver, writeProblem } = watchWrites(place);
  const reader = createContentReader(driver);

  return {
    write: async (hash, bytes) => {
      objectKey(hash);
      requireStorable(bytes);
      return writePacked(driver, hash, { size: bytes.length, stored: await wrap(bytes), base: null, depth: 0 });
    },
    pack: (bytes, bases) => pack(reader, bytes, bases),
    writePacked: (hash, packed) => writePacked(driver, hash, packed),
    read: (hash) => reader.read(hash),
    has: async (hash) => driver.has(objectKey(hash)),
    delete: async (hash) => driver.delete(objectKey(hash)),
    list: () => list(driver),
    async usage() {
      let bytes = 0;
      for await (const { storedSize } of list(driver)) bytes += storedSize;
      return { bytes };
    },
    mayBeAway: (hasContents) => driver.mayBeAway(hasContents),
    belongsTo: (installation) => driver.belongsTo(installation),
    check: () => driver.check(),
    writeProblem,
    close: () => driver.close(),
  };
}

/** How long a refused write is told where nothing is written any more. */
const toldForMs = 300_000;

/** Remembers whether the last write was refused: a probe of its own would cost a request to the bucket each time somebody asks. */
function watchWrites(place: ObjectDriver): { driver: ObjectDriver; writeProblem: () => string | null } {
  let refused: { why: string; at: number } | null = null;
  const put = async (key: string, bytes: Buffer) => {
    try {
      await place.put(key, bytes);
      refused = null;
    } catch (error) {
      if (error instanceof AppError && error.code === "unavailable") refused = { why: error.message, at: Date.now() };
      throw error;
    }
  };
  const writeProblem = () => (refused !== null && Date.now() - refused.at < toldForMs ? refused.why : null);
  return { driver: { ...place, put }, writeProblem };
}

async function* list(driver: ObjectDriver): AsyncIterable<ListedObject> {
  for await (const { key, size, modifiedAt } of driver.list()) {
    const hash = hashOfKey(key);
    if (hash !== null) yield { hash, storedSize: size, modifiedAt };
  }
}

/** Compresses a page against its keyframe; null when the keyframe cannot be used, or the page differs too much from it. */
async function packVersion(reader: ContentReader, bytes: Uint8Array, keyframe: Buffer): Promise<PackedObject | null> {
  const base = { hash: keyframe, kind: "version" } as const;
  const ifWorthIt = (stored: Buffer, { size, storedSize }: { size: number; storedSize: number }) =>
    baseOf(stored) !== null && stored.length <= (storedSize / size) * bytes.length * versionWorthMax
      ? ({ size: bytes.length, stored, base: keyframe, depth: 1 } as const)
      : null;
  const packed = isSmall(bytes.length)
    ? await reader.againstKeyframe(keyframe, (loaded, zstd) =>
        ifWorthIt(wrapLoaded(bytes, base, loaded.loaded, zstd), loaded),
      )
    : "large";
  if (packed !== "large") return packed;
  const usable = await reader.usableBase(keyframe, 1);
  if (usable === null) return null;
  return ifWorthIt(await wrap(bytes, { ...base, bytes: usable.bytes }), {
    size: usable.bytes.length,
    storedSize: usable.storedSize,
  });
}

async function pack(reader: ContentReader, bytes: Uint8Array, { keyframe, dictionary }: Bases): Promise<PackedObject> {
  requireStorable(bytes);
  const version = keyframe === null ? null : await packVersion(reader, bytes, keyframe);
  if (version !== null) return version;
  const shared = dictionary === null ? null : await reader.usableBase(dictionary, 0);
  const stored = await wrap(
    bytes,
    shared === null ? null : { hash: shared.hash, kind: "dictionary", bytes: shared.bytes },
  );
  return { size: bytes.length, stored, base: baseOf(stored), depth: 0 };
}

async function writePacked(driver: ObjectDriver, hash: Buffer, { size, stored }: PackedObject) {
  await driver.put(objectKey(hash), stored);
  return { size, storedSize: stored.length };
}

function requireStorable(bytes: Uint8Array): void {
  if (bytes.length > maxBytes)
    throw new AppError("too_large", `Content of ${bytes.length} bytes is not stored: the limit is ${maxBytes}.`);
}

function baseOf(stored: Buffer): Buffer | null {
  return openEnvelope(stored, maxBytes).base?.hash ?? null;
}
