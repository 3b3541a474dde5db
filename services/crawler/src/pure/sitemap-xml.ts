import { Parser } from "htmlparser2";

export interface SitemapXmlEvents {
  /** The text of an entry's address, character references decoded, not trimmed. */
  entry: (kind: "page" | "sitemap", text: string) => void;
  /** What the root element says the file is; called once, before any entry. */
  root: (kind: "urlset" | "index" | "feed") => void;
  /** The file is not to be read any further; called at most once. */
  refuse: (problem: string) => void;
}

/**
 * Reads sitemap and feed XML as its text arrives. Elements count by their place (`loc` of a `url` or `sitemap`, `link` of an
 * `item` or `entry`) and by a prefix that is empty or the root's, so that `image:loc` is no page.
 * Tolerates raw `&`, missing end tags and CDATA; refuses a DOCTYPE, nesting deeper than 20 and anything that is no sitemap.
 */
export class SitemapXml {
  readonly #events: SitemapXmlEvents;
  readonly #parser: Parser;
  #open: string[] = [];
  #rootPrefix: string | null = null;
  /** The text of the address that is being read, and the depth of its element; null outside of one. */
  #reading: { text: string; depth: number } | null = null;
  #isEnding = false;
  #isRefused = false;

  constructor(events: SitemapXmlEvents) {
    this.#events = events;
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#opened(name, attributes),
        ontext: (text) => this.#addText(text),
        onclosetag: () => this.#closed(),
        onprocessinginstruction: (name, data) => this.#declared(name, data),
      },
      { xmlMode: true },
    );
  }

  write(text: string): void {
    if (!this.#isRefused) this.#parser.write(text);
  }

  /** @returns whether the file ended before its root element did, or had none */
  end(): boolean {
    const isCutOff = this.#open.length > 0 || this.#rootPrefix === null;
    this.#isEnding = true;
    if (!this.#isRefused) this.#parser.end();
    return isCutOff;
  }

  #opened(written: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#isRefused) return;
    const { prefix, name } = splitName(written);
    const parent = this.#open.at(-1);
    this.#open.push(this.#rootPrefix === null || prefix === "" || prefix === this.#rootPrefix ? name : foreign);
    if (this.#rootPrefix === null) return this.#begin(prefix, name);
    if (this.#open.length > maxDepth)
      return this.#refuse(
        `The file nests elements deeper than ${maxDepth}, which no sitemap does. Check what it holds.`,
      );
    const place = `${parent} ${this.#open.at(-1)}`;
    if (place === "entry link" && /^(?:|alternate)$/i.test(attributes["rel"]?.trim() ?? ""))
      this.#events.entry("page", attributes["href"] ?? "");
    else if (place === "url loc" || place === "sitemap loc" || place === "item link")
      this.#reading = { text: "", depth: this.#open.length };
  }

  #begin(prefix: string, name: string): void {
    this.#rootPrefix = prefix;
    const kind = roots.get(name);
    if (kind !== undefined) this.#events.root(kind);
    else if (name === "html") this.#refuse(isHtml);
    else
      this.#refuse(
        `The file is XML, but not a sitemap or feed: its first element is <${name.slice(0, 40)}>. Enter the address of a sitemap.`,
      );
  }

  #addText(text: string): void {
    const reading = this.#reading;
    if (reading !== null && reading.depth === this.#open.length && reading.text.length < maxText) reading.text += text;
  }

  #closed(): void {
    const name = this.#open.pop();
    const reading = this.#reading;
    if (reading === null || reading.depth <= this.#open.length) return;
    this.#reading = null;
    if (this.#isEnding || this.#isRefused) return;
    if (name === "loc" || reading.text.trim() !== "")
      this.#events.entry(this.#open.at(-1) === "sitemap" ? "sitemap" : "page", reading.text);
  }

  #declared(name: string, data: string): void {
    if (!name.startsWith("!")) return;
    if (/^!doctype\s{1,100}html/i.test(data) && this.#rootPrefix === null) this.#refuse(isHtml);
    else
      this.#refuse(
        "The file has a DOCTYPE, which sitemaps do not need and which is refused because it can make a small file huge. Remove it.",
      );
  }

  #refuse(problem: string): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#events.refuse(problem);
  }
}

const maxDepth = 20;
/**
 * The most characters that are collected of an address of up to 2,000: leaves room for white space around it and for
 * percent-encoding.
 */
const maxText = 10_000;
const foreign = "";
const isHtml =
  "The file is an HTML page, not a sitemap. Check the address; the server may answer missing files with a page.";
const roots = new Map<string, "urlset" | "index" | "feed">([
  ["urlset", "urlset"],
  ["sitemapindex", "index"],
  ["rss", "feed"],
  ["feed", "feed"],
  ["rdf", "feed"],
]);

function splitName(written: string): { prefix: string; name: string } {
  const colon = written.indexOf(":");
  return { prefix: written.slice(0, Math.max(0, colon)).toLowerCase(), name: written.slice(colon + 1).toLowerCase() };
}
