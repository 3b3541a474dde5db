import { createHmac } from "node:crypto";

/** Returns a mark by which a key can be recognised; it reveals nothing about the key. @param key 32 random bytes */
export function keyMark(key: Buffer): string {
  return createHmac("sha256", key).update("web-tester backup: which key").digest("hex");
}
