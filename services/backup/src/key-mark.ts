import { createHmac } from "node:crypto";

/** By this a key is known again; nothing follows from it. @param key 32 random bytes */
export function keyMark(key: Buffer): string {
  return createHmac("sha256", key).update("web-tester backup: which key").digest("hex");
}
