import type { Installation } from "./object-store.js";

/** One stored file or S3 object. */
export interface StoredFile {
  key: string;
  size: number;
  modifiedAt: Date;
}

/**
 * The operations of a folder or bucket that keeps objects; keys come from `objectKey` only. Methods reject with AppError `unavailable` when
 * the folder or bucket cannot be used.
 */
export interface ObjectDriver {
  /** Creates or replaces an object; concurrent readers get the old bytes or the new ones, never a mixture or a part. */
  put(key: string, bytes: Buffer): Promise<void>;
  /** Returns null when there is no object. @throws AppError content_damaged when it is longer than `maxBytes`, or when it alone cannot be read */
  get(key: string, maxBytes: number): Promise<Buffer | null>;
  has(key: string): Promise<boolean>;
  /** Resolves even when there is no object. */
  delete(key: string): Promise<void>;
  list(): AsyncIterable<StoredFile>;
  /** See `ObjectStore.mayBeAway`. */
  mayBeAway(hasContents: boolean): void;
  /** See `ObjectStore.belongsTo`. */
  belongsTo(installation: Installation): void;
  check(): Promise<void>;
  close(): void;
}

/** Returns the code of an error of the system or of a library, such as "ENOENT", even of errors from another realm, where `instanceof Error` is false. */
export function errorCode(error: unknown): string | undefined {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}
