/**
 * Returns the text of a `data:` address of the wanted type, decoded as UTF-8; null for every other address.
 * @param type for example text/css
 * @see https://fetch.spec.whatwg.org/#data-url-processor
 */
export function dataText(written: string, type: string): string | null {
  const url = URL.parse(written.trim());
  if (url?.protocol !== "data:") return null;
  const text = url.href.slice("data:".length, url.hash === "" ? undefined : -url.hash.length);
  const comma = text.indexOf(",");
  const [kind = "", ...parameters] = text.slice(0, Math.max(0, comma)).split(";");
  if (comma === -1 || kind.trim().toLowerCase() !== type) return null;
  const bytes = percentDecoded(text.slice(comma + 1));
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === "base64";
  return (isBase64 ? Buffer.from(bytes.toString("latin1"), "base64") : bytes).toString("utf8");
}

function percentDecoded(text: string): Buffer {
  const decoded = text.replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, "latin1");
}
