import type { Transform } from "node:stream";

/**
 * Yields everything that a decompressor produces: if its source is cut off or damaged, the output of all bytes before that point comes first, then the error. (A
 * stream that is destroyed by an error drops its unread output, which for a short file is all of it.)
 * @throws the error of the source or of the decompressor
 */
export async function* unpacked(source: AsyncIterable<Uint8Array>, step: Transform): AsyncGenerator<Buffer> {
  const reader: { whenDone?: () => void } = {};
  const allRead = () =>
    new Promise<void>((resolve) => {
      if (step.readableLength === 0 || step.destroyed) resolve();
      else reader.whenDone = resolve;
    });
  // errors of the source reach the reader through the decompressor
  step.on("error", () => undefined);
  const feeding = feed(source, step, allRead);
  try {
    for await (const piece of step) {
      yield piece as Buffer;
      if (step.readableLength === 0) reader.whenDone?.();
    }
  } finally {
    step.destroy();
    reader.whenDone?.();
    await feeding;
  }
}

async function feed(source: AsyncIterable<Uint8Array>, step: Transform, allRead: () => Promise<void>): Promise<void> {
  try {
    for await (const chunk of source) if (!(await isTaken(step, chunk))) return;
    await allRead();
    step.end();
  } catch (error) {
    await allRead();
    step.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Waits until a chunk has been processed. @returns false once the decompressor accepts no more */
function isTaken(step: Transform, chunk: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    if (step.destroyed) return gone();
    step.once("close", gone);
    step.write(chunk, (error) => {
      step.off("close", gone);
      resolve(error === null || error === undefined);
    });
  });
}
