import { createHash, hash as hashOnce } from "node:crypto";
import { setImmediate as otherWork } from "node:timers/promises";
import { AppError } from "@web-tester/contracts/errors";

/** Returns the name of content in the object store: its SHA-256, 32 bytes. */
export function hashContent(content: Uint8Array): Buffer {
  return hashOnce("sha256", content, "buffer");
}

/** Bytes that are hashed in one go, which takes 2 ms, or 10 on a processor without SHA instructions. */
const hashStepBytes = 4 * 1024 * 1024;

/**
 * Like `hashContent`, but yields to the event loop between the parts of long content, which must not change meanwhile. A worker thread
 * would not help: copying the bytes to it takes longer than hashing them here (25 MiB: 30 ms against 14).
 */
export async function hashInSteps(content: Uint8Array): Promise<Buffer> {
  if (content.length <= hashStepBytes) return hashContent(content);
  const hash = createHash("sha256");
  for (let from = 0; from < content.length; from += hashStepBytes) {
    hash.update(content.subarray(from, from + hashStepBytes));
    await otherWork();
  }
  return hash.digest();
}

/** Whether `hash` is the hash of the content. */
export async function isNamedBy(hash: Buffer, content: Uint8Array): Promise<boolean> {
  // comparing as text takes a tenth less time than comparing buffers
  if (content.length <= hashStepBytes) return hashOnce("sha256", content, "hex") === hash.toString("hex");
  return (await hashInSteps(content)).equals(hash);
}

/**
 * Returns the key of an object, the same in folders and buckets, so that one can be copied into the other: `ab/<64 hexadecimal digits>`.
 * 256 folders keep each small up to millions of objects.
 * @throws AppError invalid_input when `hash` is not 32 bytes; keys cannot be made from anything else
 */
export function objectKey(hash: Buffer): string {
  if (!Buffer.isBuffer(hash) || hash.length !== 32) {
    throw new AppError(
      "invalid_input",
      "An object is named by the 32 bytes of its content's SHA-256: pass the result of hashContent.",
    );
  }
  const hex = hash.toString("hex");
  return `${hex.slice(0, 2)}/${hex}`;
}

/** Returns the hash that a key was made from, or null when `objectKey` did not make it. */
export function hashOfKey(key: string): Buffer | null {
  const hex = /^([0-9a-f]{2})\/(\1[0-9a-f]{62})$/.exec(key)?.[2];
  return hex === undefined ? null : Buffer.from(hex, "hex");
}
