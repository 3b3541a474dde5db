import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * What comes out of a stream that other bytes are led into, for example a compressor. The one way in which streams are joined: an error
 * of either, or a reader who stops early, ends both, and reaches nobody but the reader. (`a.pipe(b)` hands no error on, and an error that
 * nobody listens to ends the process.)
 * @throws what the source or the stream fail with
 */
export async function* through(source: AsyncIterable<Uint8Array>, step: Duplex): AsyncGenerator<Buffer> {
  // a stream that is destroyed before it is read gives its error to nobody
  const packed = Readable.from(source, { objectMode: false });
  // what goes wrong on the way in reaches the reader through the step
  const feeding = pipeline(packed, step).catch(() => undefined);
  try {
    for await (const piece of step) yield piece as Buffer;
  } finally {
    step.destroy();
    packed.destroy();
    await feeding;
  }
}
