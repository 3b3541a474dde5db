const maxChars = 160;

/**
 * Returns a URL as messages show it: without user name, password, query (which may hold a token) and fragment, and shortened. The path
 * of `blob:`, `data:` and the like contains all that they have, an origin included.
 */
export function nameUrl(url: URL): string {
  const start = url.origin === "null" || url.protocol === "blob:" ? url.protocol : url.origin;
  const text = start + url.pathname + (url.search === "" ? "" : "?…");
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`;
}
