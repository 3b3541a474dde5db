// @ts-check
import { linkKind, trimHtml } from "@web-tester/html/links/link-kind";
import { parseRefresh } from "@web-tester/html/links/parse-refresh";
import { scanLinks } from "@web-tester/html/links/scan-links";
import { Parser } from "htmlparser2";
import { parse } from "parse5";

/**
 * Engines that find the addresses that a page links to, as written, with character references decoded, including
 * repetitions: the product's scanner, a streaming parser, and the tree that browsers build (parse5), which is the
 * reference.
 * @type {Record<"scanLinks" | "htmlparser2" | "parse5", (html: string) => string[]>}
 */
export const engines = {
  scanLinks: (html) => scanLinks(html).links.map(({ href }) => href),
  htmlparser2(html) {
    /** @type {string[]} */
    const found = [];
    const parser = new Parser({
      onopentag(name, attributes) {
        const href = addressOf(name, (wanted) => attributes[wanted]);
        if (href) found.push(href);
      },
    });
    parser.end(html);
    return found;
  },
  parse5(html) {
    /** @type {string[]} */
    const found = [];
    /** @type {import("parse5").DefaultTreeAdapterTypes.Node[]} */
    const open = [parse(html, { scriptingEnabled: false })];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if ("attrs" in node) {
        const { attrs, namespaceURI, tagName } = node;
        const get = (/** @type {string} */ wanted) =>
          attrs.find(({ prefix, name }) => (prefix ? `${prefix}:${name}` : name) === wanted)?.value;
        const isHtml = namespaceURI === "http://www.w3.org/1999/xhtml";
        const isSvgLink = namespaceURI === "http://www.w3.org/2000/svg" && tagName === "a";
        const href = isHtml
          ? addressOf(tagName, get)
          : isSvgLink
            ? trimHtml(get("href") ?? get("xlink:href") ?? "")
            : "";
        if (href) found.push(href);
      }
      if ("childNodes" in node) open.push(...node.childNodes);
    }
    return found;
  },
};

/**
 * @param {string} element
 * @param {(attribute: string) => string | undefined} get
 * @returns {string | null} empty or null where the element links to nothing
 */
function addressOf(element, get) {
  switch (element) {
    case "a":
    case "area":
      return trimHtml(get("href") ?? "");
    case "iframe":
    case "frame":
      return trimHtml(get("src") ?? "");
    case "link":
      return linkKind(get("rel"), get("type")) === null ? null : trimHtml(get("href") ?? "");
    case "meta":
      return get("http-equiv")?.toLowerCase() === "refresh"
        ? (parseRefresh(get("content") ?? "")?.address ?? null)
        : null;
    default:
      return null;
  }
}
