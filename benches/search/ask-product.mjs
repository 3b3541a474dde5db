// @ts-check
import { searchFrame } from "@web-tester/contracts/entities/search";

/**
 * Makes one search as the user interface does: the first page of results, streamed.
 * @param {string} address
 * @param {string} objectId
 * @param {string} phrase
 * @returns {Promise<{ firstMs: number, lastMs: number, items: number, partial: string | null }>} `firstMs`: the time until
 *   the first results, or the whole page, arrived; `partial`: what was not searched
 */
export async function askProduct(address, objectId, phrase) {
  const query = new URLSearchParams({ q: phrase, testobject_id: objectId });
  const began = performance.now();
  const answer = await fetch(`${address}/api/search/stream?${query.toString()}`);
  if (!answer.ok || answer.body === null) throw new Error(`HTTP ${answer.status}: ${await answer.text()}`);
  let firstMs = 0;
  let items = -1;
  /** @type {string | null} */
  let partial = null;
  let rest = "";
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const frame = searchFrame.parse(JSON.parse(line));
      if (frame.type === "error") throw new Error(frame.error.message);
      if (frame.type !== "progress" && firstMs === 0) firstMs = performance.now() - began;
      if (frame.type === "page")
        ({
          items: { length: items },
          partial,
        } = frame);
    }
  }
  if (items === -1) throw new Error("The stream ended without its page");
  return { firstMs, lastMs: performance.now() - began, items, partial };
}
