import { AppError } from "@web-tester/contracts/errors";
import type { Response } from "express";
import { setImmediate as nextTurn } from "node:timers/promises";
import { packed, packedPieces, packs } from "./packing.js";
import { Places, type PlacesOptions } from "./places.js";

/**
 * Sends large answers with backpressure: pages, files, exports. The one way to stream a body.
 */
export interface Sender {
  /**
   * Sends pieces as fast as they are taken. A reader who leaves, or takes next to nothing, ends the making of them, which is no
   * error; one of ours ends the connection, so that half an answer does not look like a whole one.
   * @param heldBytes what the pieces are made of and is in memory as long as they are; it counts as bytes that wait for their readers
   * @throws what `pieces` throw; AppError unavailable where too many of such answers wait
   */
  pieces(response: Response, pieces: Pieces, heldBytes?: number): Promise<void>;
  /**
   * Sends pieces of which each is read from the store when it is asked for, as exports are: a few of such answers are made at the same time, others wait for
   * their turn, and a reader who takes nothing gives way to them.
   * @throws what `pieces` throw; AppError unavailable where the turn does not come
   */
  inTurn(response: Response, pieces: Pieces): Promise<void>;
  /**
   * Sends bytes that are in memory. Callers set the headers that describe them before; the length, and the missing body for HEAD, are
   * handled here.
   * @param options.inGzip whether they are sent in gzip to a reader who understands it; what is stored is sent as it was stored
   * @throws AppError unavailable where too many such answers wait for their readers
   */
  whole(response: Response, body: Uint8Array, options?: { inGzip?: boolean }): Promise<void>;
}

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

export interface SenderOptions {
  /** A connection is closed whose reader takes less than a piece (64 KiB) in this time. */
  stallMs: number;
  /** The most bytes that wait for their readers in all answers together; a single answer may be larger. */
  heldMaxBytes?: number;
  places?: PlacesOptions;
  nowMs?: () => number;
}

const pieceBytes = 64 * 1024;
/** Answers up to this size are written at once, without being counted. */
export const sentAtOnceMaxBytes = pieceBytes;
/** Where there is no room for another answer, one whose reader took nothing for this long is ended. */
const givesWayMs = 1_000;

/**
 * An export holds at most one page or file (10 and 25 MiB) in some forms, and an index of what it wrote: eight of them are some hundred megabytes at the very
 * most. Proxies give an answer a minute to begin. A reader keeps its place at 16 KiB a second, a quarter of what a slow phone takes.
 */
const exportPlaces: PlacesOptions = { most: 8, waitMs: 30_000, givesWayMs: 10_000, pieceMs: 4_000 };

interface Held {
  bytes: number;
  movedAt: number;
  end(): void;
}

/** What is to be told of a reader. */
interface Reader {
  stalls?(): void;
  moves(): void;
}

export function createSender(options: SenderOptions): Sender {
  return new HeldSender(options);
}

class HeldSender implements Sender {
  readonly #stallMs: number;
  readonly #heldMaxBytes: number;
  readonly #nowMs: () => number;
  /** Waiting answers; the one that made no progress for longest comes first. */
  readonly #held = new Set<Held>();
  #heldBytes = 0;
  readonly #places: Places;

  constructor({ stallMs, heldMaxBytes = 256 * 1024 * 1024, places, nowMs = () => performance.now() }: SenderOptions) {
    this.#stallMs = stallMs;
    this.#places = new Places(places ?? exportPlaces);
    this.#heldMaxBytes = heldMaxBytes;
    this.#nowMs = nowMs;
  }

  async pieces(response: Response, pieces: Pieces, heldBytes = 0): Promise<void> {
    if (response.destroyed) return;
    if (response.req.method === "HEAD" || heldBytes <= sentAtOnceMaxBytes) return this.#pieces(response, pieces);
    const one = this.#hold(response, heldBytes);
    await this.#pieces(response, pieces, { moves: () => this.#moved(one) });
  }

  async inTurn(response: Response, pieces: Pieces): Promise<void> {
    if (response.req.method === "HEAD") return this.#pieces(response, pieces);
    const place = await this.#places.take(response);
    if (place === null) return;
    try {
      await this.#pieces(response, pieces, place);
    } finally {
      place.leave();
    }
  }

  async #pieces(response: Response, pieces: Pieces, reader?: Reader): Promise<void> {
    if (response.destroyed) return;
    if (response.req.method === "HEAD") {
      response.end();
      return;
    }
    try {
      const bytes = smallPieces(pieces);
      for await (const piece of bytes) if (!(await this.#write(response, piece, reader))) return;
    } catch (error) {
      // a begun answer must not look complete; its reader may find in what was written why it breaks off
      if (response.headersSent) {
        await written(response, this.#stallMs);
        response.destroy();
      }
      throw error;
    }
    response.end();
  }

  async whole(response: Response, body: Uint8Array, { inGzip = false } = {}): Promise<void> {
    if (response.destroyed) return;
    const isPacked = inGzip && packs(response, body.length);
    if (response.req.method === "HEAD" || body.length <= sentAtOnceMaxBytes) {
      const sent = isPacked ? packed(body) : body;
      response.setHeader("Content-Length", sent.length);
      response.end(response.req.method === "HEAD" ? undefined : sent);
      return;
    }
    const one = this.#hold(response, body.length);
    if (!isPacked) response.setHeader("Content-Length", body.length);
    const pieces = isPacked ? packedPieces(smallPieces([body])) : smallPieces([body]);
    for await (const piece of pieces)
      if (!(await this.#write(response, piece, { moves: () => this.#moved(one) }))) return;
    response.end();
  }

  #hold(response: Response, bytes: number): Held {
    for (const slowest of this.#held) {
      if (this.#heldBytes + bytes <= this.#heldMaxBytes || this.#nowMs() - slowest.movedAt < givesWayMs) break;
      this.#release(slowest);
      slowest.end();
    }
    if (this.#heldBytes > 0 && this.#heldBytes + bytes > this.#heldMaxBytes)
      throw new AppError(
        "unavailable",
        "Too many large answers are being sent at the moment. Try again in a few seconds.",
      );
    const one: Held = { bytes, movedAt: this.#nowMs(), end: () => response.destroy() };
    this.#held.add(one);
    this.#heldBytes += bytes;
    response.once("close", () => this.#release(one));
    return one;
  }

  #release(one: Held): void {
    if (this.#held.delete(one)) this.#heldBytes -= one.bytes;
  }

  #moved(one: Held): void {
    one.movedAt = this.#nowMs();
    if (this.#held.delete(one)) this.#held.add(one);
  }

  /** @returns false where the reader is gone */
  async #write(response: Response, piece: Uint8Array, reader?: Reader): Promise<boolean> {
    if (response.destroyed) return false;
    if (!response.write(piece)) {
      reader?.stalls?.();
      if (!(await roomAgain(response, this.#stallMs))) return false;
    } else await nextTurn(); // what is made as fast as it is taken lets others in
    reader?.moves();
    return true;
  }
}

async function* smallPieces(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
}

/** Waits until all that was written has left this process, or the connection is gone. */
function written({ socket }: Response, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket === null || socket.destroyed) return resolve();
    const timer = setTimeout(resolve, withinMs);
    const settle = () => {
      clearTimeout(timer);
      resolve();
    };
    socket.once("close", settle);
    socket.write("", settle);
  });
}

/**
 * Waits until a reader has taken what was written, and closes the connection of one who does not in time.
 * @returns false where the reader is gone
 */
function roomAgain(response: Response, stallMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isThere: boolean) => {
      clearTimeout(timer);
      response.off("drain", drained).off("close", gone);
      resolve(isThere);
    };
    const drained = () => settle(true);
    const gone = () => settle(false);
    const timer = setTimeout(() => response.destroy(), stallMs);
    response.once("drain", drained).once("close", gone);
  });
}
