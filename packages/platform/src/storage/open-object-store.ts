import { hash as hashOnce } from "node:crypto";
import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { createBucketDriver, type Credentials } from "./bucket-driver.js";
import { headerBytes, unwrap, wrap } from "./envelope.js";
import { createFolderDriver } from "./folder-driver.js";
import type { ObjectDriver } from "./object-driver.js";
import { hashOfKey, objectKey } from "./object-key.js";
import type { ListedObject, ObjectStore } from "./object-store.js";
import { parseStorageUrl } from "./storage-url.js";

/** Objects are never larger than what one load may bring. */
const maxBytes = budgets.pageMaxBytes;

/** The name of content in the object store: its SHA-256, 32 bytes. */
export function hashContent(content: Uint8Array): Buffer {
  return hashOnce("sha256", content, "buffer");
}

/**
 * Opens the object store at a storage address (see `parseStorageUrl`). Nothing is contacted until the first call.
 * @param credentials for S3, instead of the usual `AWS_*` variables
 * @throws AppError invalid_input when the address is not valid
 */
export function openObjectStore(storageUrl: string, credentials?: Credentials): ObjectStore {
  const location = parseStorageUrl(storageUrl);
  return createObjectStore(
    location.kind === "folder" ? createFolderDriver(location) : createBucketDriver(location, credentials),
  );
}

/** An object store over any place for bytes. */
export function createObjectStore(driver: ObjectDriver): ObjectStore {
  async function* list(): AsyncIterable<ListedObject> {
    for await (const { key, size, modifiedAt } of driver.list()) {
      const hash = hashOfKey(key);
      if (hash !== null) yield { hash, storedSize: size, modifiedAt };
    }
  }

  return {
    async write(hash, bytes) {
      const key = objectKey(hash);
      if (bytes.length > maxBytes)
        throw new AppError("too_large", `Content of ${bytes.length} bytes is not stored: the limit is ${maxBytes}.`);
      const wrapped = await wrap(bytes);
      await driver.put(key, wrapped);
      return { size: bytes.length, storedSize: wrapped.length };
    },
    async read(hash) {
      const key = objectKey(hash);
      const stored = await driver.get(key, maxBytes + headerBytes);
      if (stored === null) {
        throw new AppError(
          "content_missing",
          `The stored content ${hash.toString("hex")} is missing: restore it from a backup of the object store, or fetch the page again.`,
        );
      }
      const content = await unwrap(stored, maxBytes).catch((error: unknown) => {
        throw damaged(hash, error);
      });
      if (!hashContent(content).equals(hash)) throw damaged(hash);
      return content;
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

function damaged(hash: Buffer, cause?: unknown): AppError {
  return new AppError(
    "content_damaged",
    `The stored content ${hash.toString("hex")} is damaged: restore it from a backup of the object store, or fetch the page again.`,
    { cause },
  );
}
