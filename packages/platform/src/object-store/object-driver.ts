/** One stored file or S3 object. */
export interface StoredFile {
  key: string;
  size: number;
  modifiedAt: Date;
}

/**
 * What a place for bytes must be able to do; keys come from `objectKey` only. Methods reject with AppError `unavailable` when the
 * place cannot be used.
 */
export interface ObjectDriver {
  /** Creates or replaces; whoever reads at the same time gets the old bytes or the new ones, never a mixture or a part. */
  put(key: string, bytes: Buffer): Promise<void>;
  /** Null when there is none. @throws AppError content_damaged when it is longer than `maxBytes`, or when it alone cannot be read */
  get(key: string, maxBytes: number): Promise<Buffer | null>;
  has(key: string): Promise<boolean>;
  /** Resolves also when there is none. */
  delete(key: string): Promise<void>;
  list(): AsyncIterable<StoredFile>;
  /** See `ObjectStore.mayBeAway`. Missing where the place itself reports that it is away. */
  mayBeAway?(hasContents: boolean): void;
  check(): Promise<void>;
  close(): void;
}
