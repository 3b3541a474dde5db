import { AppError } from "@web-tester/contracts/errors";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { notFound } from "../http/not-found.js";

/**
 * Reads content that a caller names by its hash. No row needs to refer to it, so it may have been collected since, or never have
 * existed.
 * @param hash SHA-256 as hex
 * @param what it is, in the words of a message
 * @throws AppError not_found, content_damaged, unavailable
 */
export async function readNamed(store: ObjectStore, hash: string, what: string): Promise<Buffer> {
  try {
    return await store.read(Buffer.from(hash, "hex"));
  } catch (error) {
    // unlike content of a snapshot, this was never promised to be kept
    if (error instanceof AppError && error.code === "content_missing") throw notFound(what, hash);
    throw error;
  }
}
