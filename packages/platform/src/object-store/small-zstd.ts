import { readFile } from "node:fs/promises";
import { createRing } from "./ring.js";

/*
 * zstd for pages, in WebAssembly (compiled by `packages/platform/zstd/build.mjs`). Node creates a new context for every call and leaves it,
 * and its result, to the garbage collector; both together take longer than the few kilobytes of a page. And a page that is read only as the
 * base of another never becomes a Buffer here. WebAssembly memory is never given back to the system, so large content is left to Node.
 */

/** The same relative path from the sources and from the built files. */
const program = new URL("../../zstd/zstd.wasm", import.meta.url);

/** The largest content, and the largest dictionary, in bytes. */
const smallMaxBytes = 256 * 1024;
/** Memory for loaded dictionaries, so that versions of some thousand pages find their keyframes already decompressed. */
const loadedBytes = 16 * 1024 * 1024;
const level = 3;

/**
 * A dictionary that lies decompressed in the program's memory. Later loads may overwrite it, so use it before the next `await`, and `find`
 * it by its name after that.
 */
export interface LoadedDictionary {
  readonly start: number;
  readonly length: number;
}

/** The dictionary of a compression: bytes, or a dictionary that was loaded before. */
type Dictionary = Uint8Array | LoadedDictionary | null;

/** A synchronous codec: every method finishes before it returns, so calls without an `await` in between see the same loaded dictionaries. */
export interface SmallZstd {
  /**
   * Compresses content into one frame that states its content's length.
   * @throws Error when the dictionary begins like one that zstd trained but is none
   */
  compress(content: Uint8Array, dictionary: Dictionary): Buffer;
  /**
   * Decompresses a frame into a new buffer, never more than `size` bytes.
   * @throws Error when the bytes are no such frame
   */
  decompress(frame: Uint8Array, size: number, dictionary: Dictionary): Buffer;
  /**
   * Decompresses content that is only needed as a dictionary; it stays loaded until later loads overwrite it.
   * @param name finds it again; what is loaded under a name is trusted, so names of different callers must differ
   * @throws Error as decompress does
   */
  load(name: string, frame: Uint8Array, size: number, dictionary: Uint8Array | null): LoadedDictionary;
  /** Loads content that is not compressed. */
  loadContent(name: string, content: Uint8Array): LoadedDictionary;
  find(name: string): LoadedDictionary | undefined;
  unload(name: string): void;
  /** Returns a view of the bytes, valid only until the next call. */
  bytesOf(dictionary: LoadedDictionary): Buffer;
}

/** Whether content of this length, and a dictionary of that one, have room in {@link SmallZstd}. */
export function isSmall(length: number, dictionaryLength = 0): boolean {
  return length <= smallMaxBytes && dictionaryLength <= smallMaxBytes;
}

/** @throws Error when this many bytes do not fit */
function requireSmall(length: number): void {
  if (!isSmall(length)) throw new Error(`${length} bytes have no room among small ones`);
}

let opening: Promise<SmallZstd> | undefined;

/** Returns the codec, of which there is one per process. */
export function openSmallZstd(): Promise<SmallZstd> {
  opening ??= load().then(create);
  return opening;
}

/** The functions that the program exports (zstd's manual explains each); numbers are lengths, or addresses in its memory. */
interface Program {
  memory: { buffer: ArrayBuffer };
  malloc(bytes: number): number;
  ZSTD_isError(result: number): number;
  ZSTD_compressBound(bytes: number): number;
  ZSTD_createCCtx(): number;
  ZSTD_createDCtx(): number;
  ZSTD_compress_usingDict(
    context: number,
    to: number,
    room: number,
    from: number,
    length: number,
    dictionary: number,
    dictionaryLength: number,
    level: number,
  ): number;
  ZSTD_decompress_usingDict(
    context: number,
    to: number,
    room: number,
    from: number,
    length: number,
    dictionary: number,
    dictionaryLength: number,
  ): number;
}

/** TypeScript declares it only in its DOM library. */
declare const WebAssembly: { instantiate(program: Uint8Array): Promise<{ instance: { exports: unknown } }> };

async function load(): Promise<Program> {
  const { instance } = await WebAssembly.instantiate(await readFile(program));
  // safe cast: build.mjs exports these very functions
  return instance.exports as Program;
}

function create(zstd: Program): SmallZstd {
  const compressor = zstd.ZSTD_createCCtx();
  const decompressor = zstd.ZSTD_createDCtx();
  const outputBytes = zstd.ZSTD_compressBound(smallMaxBytes);
  const input = zstd.malloc(smallMaxBytes);
  const dictionaryPlace = zstd.malloc(smallMaxBytes);
  const output = zstd.malloc(outputBytes);
  const ring = createRing(loadedBytes);
  // the operating system allots pages only when they are written to
  const ringPlace = zstd.malloc(loadedBytes);

  // the buffer is replaced (and the old one detached) whenever the memory grows
  let memory = new Uint8Array(zstd.memory.buffer);
  function heap(): Uint8Array {
    if (memory.length === 0) memory = new Uint8Array(zstd.memory.buffer);
    return memory;
  }
  function lay(bytes: Uint8Array, place: number): void {
    requireSmall(bytes.length);
    heap().set(bytes, place);
  }
  /** @returns the dictionary's address and length */
  function layDictionary(dictionary: Dictionary): [number, number] {
    if (dictionary === null) return [dictionaryPlace, 0];
    if (!(dictionary instanceof Uint8Array)) return [ringPlace + dictionary.start, dictionary.length];
    lay(dictionary, dictionaryPlace);
    return [dictionaryPlace, dictionary.length];
  }
  function checked(result: number): number {
    if (zstd.ZSTD_isError(result) !== 0) throw new Error(`zstd gave up with error ${-result}`);
    return result;
  }
  function decompressTo(place: number, frame: Uint8Array, size: number, dictionary: Dictionary): number {
    requireSmall(size);
    lay(frame, input);
    return checked(
      zstd.ZSTD_decompress_usingDict(decompressor, place, size, input, frame.length, ...layDictionary(dictionary)),
    );
  }
  /** @param write returns the length of what it wrote */
  function take(name: string, size: number, write: (place: number) => number): LoadedDictionary {
    requireSmall(size);
    const start = ring.take(name, size);
    try {
      return { start, length: write(ringPlace + start) };
    } catch (error) {
      ring.drop(name);
      throw error;
    }
  }
  const copyOf = (place: number, length: number) => Buffer.from(heap().subarray(place, place + length));

  return {
    compress(content, dictionary) {
      lay(content, input);
      const length = zstd.ZSTD_compress_usingDict(
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
    decompress(frame, size, dictionary) {
      const length = decompressTo(output, frame, size, dictionary);
      const content = Buffer.allocUnsafeSlow(length);
      content.set(heap().subarray(output, output + length));
      return content;
    },
    load: (name, frame, size, dictionary) => take(name, size, (place) => decompressTo(place, frame, size, dictionary)),
    loadContent: (name, content) =>
      take(name, content.length, (place) => {
        lay(content, place);
        return content.length;
      }),
    find: ring.find,
    unload: ring.drop,
    bytesOf: ({ start, length }) => Buffer.from(zstd.memory.buffer, ringPlace + start, length),
  };
}
