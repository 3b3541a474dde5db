import { trimHtml } from "./link-kind.js";

/** The address that a page loads by itself, and the delay. */
export interface Refresh {
  /** Whole seconds; a fraction is dropped, as browsers do. */
  seconds: number;
  /** The address as written, not resolved; empty where the page reloads itself. */
  address: string;
}

/**
 * Parses the content of a `Refresh` header or `meta` by the shared declarative refresh steps (WHATWG HTML §4.2.5.3); null
 * where it is invalid.
 */
export function parseRefresh(content: string): Refresh | null {
  const match =
    /^[\t\n\f\r ]*(?:(\d+)(?:\.[\d.]*)?|\.[\d.]*)(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ]+|$)[\t\n\f\r ]*(.*)$/s.exec(content);
  if (match === null) return null;
  const rest = (match[2] ?? "").replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, "");
  const quote = /^["']/.exec(rest)?.[0];
  const address = quote === undefined ? rest : (rest.slice(1).split(quote, 1)[0] ?? "");
  return { seconds: Number(match[1] ?? 0), address: trimHtml(address) };
}
