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
