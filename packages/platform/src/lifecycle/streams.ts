import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * Feeds `source` into a duplex stream, for example a compressor, and yields what comes out. Use this wherever streams are joined: an error
 * of either, or a reader who stops early, ends both, and only the reader sees the error. (`a.pipe(b)` passes no error on, and an error
 * without a listener ends the process.)
 * @throws the error of the source or of the stream
 */
export async function* through(source: AsyncIterable<Uint8Array>, step: Duplex): AsyncGenerator<Buffer> {
  // the error of a stream that is destroyed before it is read is lost
  const packed = Readable.from(source, { objectMode: false });
  // an error of the source reaches the reader through the step
  const feeding = pipeline(packed, step).catch(() => undefined);
  try {
    for await (const piece of step) yield piece as Buffer;
  } finally {
    step.destroy();
    packed.destroy();
    await feeding;
  }
}

/** The most pieces that are kept as they came: each is an object of a hundred bytes, and keeps the whole read buffer that it arrived in. */
const asTheyCameMax = 1_024;

/**
 * Collects a body that arrives piece by piece. The pieces are joined now and then, so that a sender of single bytes cannot make a body
 * take a hundred times its length.
 */
export class Pieces {
  size = 0;
  private readonly joined: Buffer[] = [];
  private recent: Buffer[] = [];
  private recentBytes = 0;

  /** How many buffers are kept. */
  get held(): number {
    return this.joined.length + this.recent.length;
  }

  add(piece: Buffer): void {
    this.size += piece.length;
    this.recentBytes += piece.length;
    this.recent.push(piece);
    if (this.recent.length < asTheyCameMax) return;
    this.joined.push(Buffer.concat(this.recent, this.recentBytes));
    this.recent = [];
    this.recentBytes = 0;
  }

  /** All bytes in their order; a single piece is given as it came. */
  whole(): Buffer {
    const [only, ...others] = [...this.joined, ...this.recent];
    return only === undefined || others.length > 0 ? Buffer.concat([...this.joined, ...this.recent], this.size) : only;
  }
}
