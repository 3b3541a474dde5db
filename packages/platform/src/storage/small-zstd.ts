import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/*
 * zstd for pages, in WebAssembly. Node makes a new context for every call and leaves it, and what it returns, to the
 * garbage collector, which together take longer than the few kilobytes of a page: 60 µs to decompress a page against
 * another and 120 to compress it, here 25 and 70. And a page that is read only as the base of another never becomes
 * a buffer here. Memory in here is never given back, so what is large stays with Node.
 */

/** The most content, and the most dictionary, in bytes. */
const smallMaxBytes = 128 * 1024;
const level = 3;

/** Bytes against which others are compressed; `held`: those that `hold` left in place. */
type Dictionary = Uint8Array | "held" | null;

/** Every method does all of its work before it returns, so calls that come after one another without `await` belong together. */
export interface SmallZstd {
  /**
   * One frame that tells the length of its content.
   * @throws Error where the dictionary only looks like one that zstd trained
   */
  compress(content: Uint8Array, dictionary: Dictionary): Buffer;
  /**
   * The content of a frame, never more than `size` bytes.
   * @throws Error where the bytes are no such frame
   */
  decompress(frame: Uint8Array, size: number, dictionary: Dictionary): Buffer;
  /**
   * Decompresses content that is only needed as a dictionary; it stays in place until the next call of `hold`.
   * @param name by which it is known; what is held under a name is taken as it is, so it must come from one place only
   * @throws Error as decompress does
   */
  hold(name: string, frame: Uint8Array, size: number, dictionary: Uint8Array | null): void;
  /** Takes content as it is for a dictionary. */
  holdContent(name: string, content: Uint8Array): void;
  /** Whether this is what is held. */
  holds(name: string): boolean;
  forget(): void;
  /** What is held, to be looked at before anything else is called. */
  held(): Buffer;
}

/** Whether content of this length, and a dictionary of that one, have room in {@link SmallZstd}. */
export function isSmall(length: number, dictionaryLength = 0): boolean {
  return length <= smallMaxBytes && dictionaryLength <= smallMaxBytes;
}

let opening: Promise<SmallZstd> | undefined;

/** There is one for the whole process. */
export function openSmallZstd(): Promise<SmallZstd> {
  opening ??= load().then(create);
  return opening;
}

/** What the package compiles zstd to (zstd's manual explains each); places are addresses in `HEAPU8`. */
interface Compiled {
  HEAPU8: Uint8Array;
  onRuntimeInitialized: () => void;
  init(program: Uint8Array): void;
  _malloc(bytes: number): number;
  _ZSTD_isError(result: number): number;
  _ZSTD_compressBound(bytes: number): number;
  _ZSTD_createCCtx(): number;
  _ZSTD_createDCtx(): number;
  _ZSTD_compress_usingDict(
    context: number,
    to: number,
    room: number,
    from: number,
    length: number,
    dictionary: number,
    dictionaryLength: number,
    level: number,
  ): number;
  _ZSTD_decompress_usingDict(
    context: number,
    to: number,
    room: number,
    from: number,
    length: number,
    dictionary: number,
    dictionaryLength: number,
  ): number;
}

/** The package's own functions copy every result, and make room for as much as hostile bytes ask for. */
async function load(): Promise<Compiled> {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve("@bokuweb/zstd-wasm"));
  const { Module: compiled }: { Module: Compiled } = require(join(folder, "zstd.js"));
  const program = await readFile(join(folder, "zstd.wasm"));
  await new Promise<void>((resolve) => {
    compiled.onRuntimeInitialized = resolve;
    compiled.init(program);
  });
  return compiled;
}

function create(zstd: Compiled): SmallZstd {
  const compressor = zstd._ZSTD_createCCtx();
  const decompressor = zstd._ZSTD_createDCtx();
  const outputBytes = zstd._ZSTD_compressBound(smallMaxBytes);
  const input = zstd._malloc(smallMaxBytes);
  const dictionaryPlace = zstd._malloc(smallMaxBytes);
  const heldPlace = zstd._malloc(smallMaxBytes);
  const output = zstd._malloc(outputBytes);
  let heldName: string | null = null;
  let heldLength = 0;

  function lay(bytes: Uint8Array, place: number): void {
    if (bytes.length > smallMaxBytes) throw new Error(`${bytes.length} bytes have no room among small ones`);
    zstd.HEAPU8.set(bytes, place);
  }
  /** @returns its place and length */
  function layDictionary(dictionary: Dictionary): [number, number] {
    if (dictionary === "held") return [heldPlace, heldLength];
    if (dictionary === null) return [dictionaryPlace, 0];
    lay(dictionary, dictionaryPlace);
    return [dictionaryPlace, dictionary.length];
  }
  function checked(result: number): number {
    if (zstd._ZSTD_isError(result) !== 0) throw new Error(`zstd gave up with error ${-result}`);
    return result;
  }
  function decompressTo(place: number, frame: Uint8Array, size: number, dictionary: Dictionary): number {
    if (size > smallMaxBytes) throw new Error(`${size} bytes have no room among small ones`);
    lay(frame, input);
    return checked(
      zstd._ZSTD_decompress_usingDict(decompressor, place, size, input, frame.length, ...layDictionary(dictionary)),
    );
  }
  // the heap is another object whenever memory has grown
  const copyOf = (place: number, length: number) => Buffer.from(zstd.HEAPU8.subarray(place, place + length));

  return {
    compress(content, dictionary) {
      lay(content, input);
      const length = zstd._ZSTD_compress_usingDict(
        compressor,
        output,
        outputBytes,
        input,
        content.length,
        ...layDictionary(dictionary),
        level,
      );
      return copyOf(output, checked(length));
    },
    decompress: (frame, size, dictionary) => copyOf(output, decompressTo(output, frame, size, dictionary)),
    hold(name, frame, size, dictionary) {
      heldName = null;
      heldLength = decompressTo(heldPlace, frame, size, dictionary);
      heldName = name;
    },
    holdContent(name, content) {
      lay(content, heldPlace);
      heldLength = content.length;
      heldName = name;
    },
    holds: (name) => heldName === name,
    forget: () => {
      heldName = null;
    },
    held: () => Buffer.from(zstd.HEAPU8.buffer, heldPlace, heldLength),
  };
}
