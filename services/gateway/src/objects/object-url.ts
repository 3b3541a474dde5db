/**
 * Normalises a test object's address as the WHATWG URL standard serializes it, without its fragment, which identifies no page.
 * @param url already known to be http or https without credentials
 */
export function objectUrl(url: string): string {
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}
