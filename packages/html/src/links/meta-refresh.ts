import { type DefaultTreeAdapterTypes, parse } from "parse5";

/** Where a page leads by itself, and after how long. */
export interface Refresh {
  /** Whole seconds; a fraction is dropped, as browsers do. */
  seconds: number;
  /** As it stands there, not resolved; empty where the page loads itself again. */
  address: string;
}

/** A refresh stands in the head; what is beyond is not looked at. */
const lookedAtChars = 256 * 1024;

/**
 * The first `meta http-equiv=refresh` that a browser with scripts would obey: one inside `noscript` or a comment does not count.
 * @param html the page as text
 */
export function findRefresh(html: string): Refresh | null {
  const start = html.slice(0, lookedAtChars);
  if (!/http-equiv\s*=\s*["']?\s*refresh/i.test(start)) return null;
  return firstIn(parse(start, { scriptingEnabled: true }));
}

/** The content of a `Refresh` header or a `meta` by the shared declarative refresh steps (WHATWG HTML §4.2.5.3); null for what is none. */
export function parseRefresh(content: string): Refresh | null {
  const match = /^[\t\n\f\r ]*(?:(\d+)[\d.]*|\.[\d.]*)(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ]+|$)[\t\n\f\r ]*(.*)$/s.exec(
    content,
  );
  if (match === null) return null;
  const rest = (match[2] ?? "").replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, "");
  const quote = /^["']/.exec(rest)?.[0];
  const address = quote === undefined ? rest : (rest.slice(1).split(quote, 1)[0] ?? "");
  return { seconds: Number(match[1] ?? 0), address: address.trim() };
}

/** In document order; a page may nest as deep as it likes. */
function firstIn(root: DefaultTreeAdapterTypes.ParentNode): Refresh | null {
  const waiting: DefaultTreeAdapterTypes.Node[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ("attrs" in node && node.tagName === "meta") {
      const refresh = ofMeta(node);
      if (refresh !== null) return refresh;
    }
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
  return null;
}

function ofMeta({ attrs }: DefaultTreeAdapterTypes.Element): Refresh | null {
  const value = (name: string) => attrs.find((attr) => attr.name === name)?.value;
  return value("http-equiv")?.trim().toLowerCase() === "refresh" ? parseRefresh(value("content") ?? "") : null;
}
