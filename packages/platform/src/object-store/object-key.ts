import { AppError } from "@web-tester/contracts/errors";

/**
 * Where an object is kept, the same in folders and buckets, so that one can be copied into the other: `ab/<64 hexadecimal digits>`.
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

/** The hash that a key was made from, null when `objectKey` did not make it. */
export function hashOfKey(key: string): Buffer | null {
  const hex = /^([0-9a-f]{2})\/(\1[0-9a-f]{62})$/.exec(key)?.[2];
  return hex === undefined ? null : Buffer.from(hex, "hex");
}
