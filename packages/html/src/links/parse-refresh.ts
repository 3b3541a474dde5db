import { trimHtml } from "./link-kind.js";

/** Where a page leads by itself, and after how long. */
export interface Refresh {
  /** Whole seconds; a fraction is dropped, as browsers do. */
  seconds: number;
  /** As it stands there, not resolved; empty where the page loads itself again. */
  address: string;
}

/** The content of a `Refresh` header or a `meta` by the shared declarative refresh steps (WHATWG HTML §4.2.5.3); null for what is none. */
export function parseRefresh(content: string): Refresh | null {
  const match =
    /^[\t\n\f\r ]*(?:(\d+)(?:\.[\d.]*)?|\.[\d.]*)(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ]+|$)[\t\n\f\r ]*(.*)$/s.exec(content);
  if (match === null) return null;
  const rest = (match[2] ?? "").replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, "");
  const quote = /^["']/.exec(rest)?.[0];
  const address = quote === undefined ? rest : (rest.slice(1).split(quote, 1)[0] ?? "");
  return { seconds: Number(match[1] ?? 0), address: trimHtml(address) };
}
