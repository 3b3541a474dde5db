import { AppError } from "@web-tester/contracts/errors";

/** Content that is missing (content_missing) or damaged (content_damaged); retrying does not help. */
export class ContentLost extends AppError {
  constructor(
    code: "content_missing" | "content_damaged",
    /** SHA-256 of the lost content: the one asked for, or one of its bases. */
    readonly hash: Buffer,
    cause?: unknown,
  ) {
    const what = code === "content_missing" ? "missing" : "damaged";
    super(
      code,
      `The stored content ${hash.toString("hex")} is ${what}: restore it from a backup of the object store, or fetch the page again.`,
      { cause },
    );
  }
}

/** One object as {@link ObjectStore.list} finds it. Sizes in bytes. */
export interface ListedObject {
  /** SHA-256 of the content, 32 bytes. */
  hash: Buffer;
  storedSize: number;
  modifiedAt: Date;
}

/** The result of a write, in bytes: `size` of the content, `storedSize` of its stored form. */
interface WrittenObject {
  size: number;
  storedSize: number;
}

/** Content that new content may be compressed against, by SHA-256; the shorter form is stored, and both may be null. */
export interface Bases {
  /** The page's keyframe: the version that its other versions are compressed against. */
  keyframe: Buffer | null;
  /** A page of the same site. Must be stored without a base of its own. */
  dictionary: Buffer | null;
}

/** Content in the form in which it will be stored. */
export interface PackedObject {
  size: number;
  stored: Buffer;
  /** The content without which it cannot be read; null when it has no base. */
  base: Buffer | null;
  /** How many versions have to be read before this one: 0 = a keyframe (a shared dictionary does not count), 1 = against a keyframe. */
  depth: 0 | 1;
}

/** An installation of the product: one database, with its store. */
export interface Installation {
  /** UUID, written into the store's mark. */
  id: string;
  /** Whether it has marked a bucket before: then one without a mark is not its own, whatever it holds. */
  hasMarked: boolean;
  /** Remembers that it has. */
  noteMarked: () => Promise<void>;
}

/**
 * Keeps content under its SHA-256. All methods may be called concurrently, from any number of processes, and all are idempotent. Every
 * method rejects with AppError `unavailable` when the store cannot be reached or refuses the work; trying again later can help.
 */
export interface ObjectStore {
  /**
   * Stores content without a base; readers see all of it or none. Content that is already there is written again: that repairs a damaged
   * object and renews its `modifiedAt`, which protects it from garbage collection before a row refers to it.
   * @param hash `hashContent(bytes)`; trusted here, checked by every read
   * @throws AppError too_large when a read would refuse it
   */
  write(hash: Buffer, bytes: Uint8Array): Promise<WrittenObject>;
  /**
   * Returns the stored form of content, compressed against a base if that is shorter; writes nothing. A base that is missing, damaged or
   * unfit is not used, nor is a keyframe that the page has become too different from, so that the page gets a new one.
   * @throws AppError too_large
   */
  pack(bytes: Uint8Array, bases: Bases): Promise<PackedObject>;
  /** Stores a packed object. Its base must be held (`announceBases`) before, so that the garbage collector does not delete it. */
  writePacked(hash: Buffer, packed: PackedObject): Promise<WrittenObject>;
  /**
   * Returns the content, verified against its hash.
   * @throws ContentLost content_missing, or content_damaged when what is stored is not the content
   */
  read(hash: Buffer): Promise<Buffer>;
  has(hash: Buffer): Promise<boolean>;
  /** Resolves even when there is no such object. */
  delete(hash: Buffer): Promise<void>;
  /** Lists all objects in no particular order; an object that is written or deleted meanwhile may be missing or present. */
  list(): AsyncIterable<ListedObject>;
  /** Sums the bytes kept. Walks the whole list (2.5 s for 100,000 objects in a folder): where it is needed often, sum the content table instead. */
  usage(): Promise<{ bytes: number }>;
  /**
   * Says that the store lies on a disk of its own or in a bucket: it may not be mounted, or the address may be wrong. Once the store has been used, or
   * `hasContents` says that rows name contents of it, an empty folder, or a bucket that is not marked as the store, counts as absent: every call rejects
   * with `unavailable` instead of starting a new store. Without this call an emptied place is used again, and what is missing counts as lost.
   */
  mayBeAway(hasContents: boolean): void;
  /**
   * Says whose store it is: the first use marks it, and one that another installation has marked counts as absent. A bucket does so only after
   * `mayBeAway` too.
   */
  belongsTo(installation: Installation): void;
  /** Resolves when the store can be used. */
  check(): Promise<void>;
  /**
   * Why the last write of this process was refused, as by a full disk, a quota or missing rights, though reading may go on; null once one has
   * gone through, or after a few minutes without any.
   */
  writeProblem(): string | null;
  close(): void;
}
