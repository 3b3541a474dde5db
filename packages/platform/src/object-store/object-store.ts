import { AppError } from "@web-tester/contracts/errors";

/** Content that is not there (content_missing), or not whole (content_damaged); trying again does not help. */
export class ContentLost extends AppError {
  constructor(
    code: "content_missing" | "content_damaged",
    /** SHA-256 of the content that is lost: the one asked for, or one that it rests on. */
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

/** What a write came to, in bytes: `size` of the content, `storedSize` of what the store keeps. */
interface WrittenObject {
  size: number;
  storedSize: number;
}

/** Content that new content may be compressed against, by SHA-256; the shorter form wins, and none is needed. */
export interface Bases {
  /** The keyframe of the page: the version that its versions are stored against. */
  keyframe: Buffer | null;
  /** A page of the same site. Must be stored without a base of its own. */
  dictionary: Buffer | null;
}

/** Content in the form in which it will be stored. */
export interface PackedObject {
  size: number;
  stored: Buffer;
  /** Without this content it cannot be read; null where it stands alone. */
  base: Buffer | null;
  /** Versions to be read before this one: 0 = a keyframe (a shared dictionary does not count), 1 = against a keyframe. */
  depth: 0 | 1;
}

/**
 * Keeps content under its SHA-256. All methods may be called at once, from any number of processes, and except for
 * {@link ObjectStore.list} repeating one changes nothing. Every method rejects with AppError `unavailable` when the store cannot be
 * reached or refuses the work; trying again later can help.
 */
export interface ObjectStore {
  /**
   * Keeps content by itself; readers see all of it or none. Content that is already there is written again: that mends a damaged object and
   * makes its `modifiedAt` young, which protects it from being collected as garbage before a row refers to it.
   * @param hash `hashContent(bytes)`; trusted here, checked by every read
   * @throws AppError too_large when a read would refuse it
   */
  write(hash: Buffer, bytes: Uint8Array): Promise<WrittenObject>;
  /**
   * Puts content into its stored form, against a base where that is shorter. Nothing is written. A base that is missing, damaged or not
   * fit is left out; one that the page has grown away from is too, so that the page gets a new keyframe.
   * @throws AppError too_large
   */
  pack(bytes: Uint8Array, bases: Bases): Promise<PackedObject>;
  /** Keeps a packed object. Its base must be held (`announceBases`) before, so that the collector leaves it alone. */
  writePacked(hash: Buffer, packed: PackedObject): Promise<WrittenObject>;
  /**
   * The content, verified against its hash.
   * @throws ContentLost content_missing, or content_damaged when what is stored is not the content
   */
  read(hash: Buffer): Promise<Buffer>;
  has(hash: Buffer): Promise<boolean>;
  /** Resolves also when there is no such object. */
  delete(hash: Buffer): Promise<void>;
  /** All objects in order of no meaning; one written or deleted meanwhile may be missing or present. */
  list(): AsyncIterable<ListedObject>;
  /** Bytes kept. Walks the whole list (2.5 s for 100,000 objects in a folder): sum the content table where it is needed often. */
  usage(): Promise<{ bytes: number }>;
  /**
   * Says that the store lies on a disk of its own, which may not be mounted. Once the store has been used, or `hasContents` says that rows name contents of it,
   * an empty folder counts as absent: every call rejects with `unavailable` instead of starting a new store. Without this call an emptied folder is used again,
   * and what is missing counts as lost.
   */
  mayBeAway(hasContents: boolean): void;
  /** Resolves when the store can be used. */
  check(): Promise<void>;
  close(): void;
}
