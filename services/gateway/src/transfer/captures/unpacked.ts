import type { Transform } from "node:stream";

/**
 * What comes out of a decompressor, all of it: where its source breaks off or is damaged, what was given to it before comes first, then the error. (A stream that is
 * ended by an error forgets what nobody has read yet, which of a short file is everything.)
 * @throws what the source or the decompressor fail with
 */
export async function* unpacked(source: AsyncIterable<Uint8Array>, step: Transform): AsyncGenerator<Buffer> {
  const reader: { whenDone?: () => void } = {};
  const allRead = () =>
    new Promise<void>((resolve) => {
      if (step.readableLength === 0 || step.destroyed) resolve();
      else reader.whenDone = resolve;
    });
  // what goes wrong reaches the reader through the decompressor
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

/** Waits until a chunk has been worked on. @returns false where nothing is taken any more */
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
