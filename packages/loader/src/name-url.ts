const maxChars = 160;

/** Returns a URL as messages show it: without user name, password, query (which may hold a token) and fragment, and shortened. */
export function nameUrl(url: URL): string {
  const text = url.origin + url.pathname + (url.search === "" ? "" : "?…");
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`;
}
