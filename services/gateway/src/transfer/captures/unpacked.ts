import type { Transform } from "node:stream";
import { createGunzip, type ZlibOptions } from "node:zlib";

/** How a gzip member begins (RFC 1952 §2.3.1). */
const memberStart = Buffer.from("1f8b08", "hex");
/** Bounds what it costs where a file consists of nothing but such beginnings. */
const sliceMinBytes = 128;

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

/**
 * Decompresses gzip like `unpacked`, of which a WARC file has a member for each record: if one is damaged, all members before it come
 * first.
 */
export function gunzipped(source: AsyncIterable<Uint8Array>, options: ZlibOptions = {}): AsyncGenerator<Buffer> {
  return unpacked(byMember(source), createGunzip(options));
}

/** Whether an error of a decompressor says that its source ended too early. */
export function isCutOff(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "Z_BUF_ERROR";
}

/** Splits chunks where a member seems to begin: a decompressor that meets damage drops the output of the whole chunk. */
async function* byMember(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let at = 0; at < bytes.length;) {
      const next = bytes.indexOf(memberStart, at + sliceMinBytes);
      const end = next === -1 ? bytes.length : next;
      yield bytes.subarray(at, end);
      at = end;
    }
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
