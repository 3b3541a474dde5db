import { decodeAs } from "@web-tester/html/charset/decode-as";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";

/**
 * Reads the text of a snapshot's HTML, empty where nothing was fetched.
 * @param content `hash` in hex; `charset` as decided when it was fetched
 * @throws AppError content_missing, content_damaged, unavailable
 */
export async function readHtml(
  store: ObjectStore,
  content: { hash: string | null; charset: string | null },
): Promise<string> {
  return content.hash === null ? "" : decodeAs(await store.read(Buffer.from(content.hash, "hex")), content.charset);
}
