import { AppError } from "@web-tester/contracts/errors";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { notFound } from "../http/not-found.js";

/**
 * Content that a caller names by its hash, which no row has to know: made a while ago, and collected since, or never there.
 * @param hash SHA-256 as hex
 * @param what it is, in the words of a message
 * @throws AppError not_found, content_damaged, unavailable
 */
export async function readNamed(store: ObjectStore, hash: string, what: string): Promise<Buffer> {
  try {
    return await store.read(Buffer.from(hash, "hex"));
  } catch (error) {
    // nothing was lost that somebody was promised
    if (error instanceof AppError && error.code === "content_missing") throw notFound(what, hash);
    throw error;
  }
}
