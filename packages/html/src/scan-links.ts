import { decodeHTML } from "entities/decode";
import { AttributeReader } from "./attribute-reader.js";
import { characterCodes, endOfName, isLetter, isSpace } from "./character-codes.js";
import { linkKind, refreshAddress, trimHtml, type LinkKind } from "./link-kind.js";
import { endOfComment, endOfRawText, endOfScript } from "./raw-text.js";
import { TreeTracker } from "./tree-tracker.js";

export interface ScannedLink {
  /** As written, character references decoded, HTML white space trimmed; never empty, not resolved. */
  href: string;
  kind: LinkKind;
}

export interface ScannedPage {
  /** In document order, repetitions included. */
  links: ScannedLink[];
  /** The `href` of the first `base` that has one: what relative links are relative to. */
  baseHref: string | null;
  /** Text of the first HTML `title`, decoded, white space collapsed, at most 300 characters; null where empty. */
  title: string | null;
  canonical: string | null;
  /** What the first `meta charset` or `meta http-equiv=content-type` claims, as written. */
  metaCharset: string | null;
  /** Whether `meta name=robots` says nofollow or none: the page asks that its links are not followed. */
  nofollow: boolean;
}

/**
 * Everything a crawl wants to know of a page in one pass over its text, without building a tree.
 *
 * Finds the links that parse5 (scripting disabled) has in its tree: `a` and `area` (SVG's `a` too, `xlink:href` included),
 * `link rel=next|prev|canonical|alternate`, `iframe`, `frame`, meta refresh. Tokenizing follows WHATWG HTML §13.2.5:
 * comments, raw text, script escapes, attribute rules. `noscript` content counts, as it is content where scripts do not run;
 * `template` content is inert and does not, unless it is a declarative shadow root (`shadowrootmode`), which browsers show.
 * Links in a body that a late `frameset` replaces are dropped, as there.
 * Time and memory are linear in the text, whatever it holds. See `ForeignContent` for what is approximate in malformed SVG.
 */
export function scanLinks(html: string): ScannedPage {
  return new Scanner(html).run();
}

const exclamation = 0x21;
const slash = 0x2f;
const lessThan = 0x3c;
const question = 0x3f;

class Scanner {
  readonly #page: ScannedPage = {
    links: [],
    baseHref: null,
    title: null,
    canonical: null,
    metaCharset: null,
    nofollow: false,
  };
  readonly #text: string;
  readonly #codes: Uint16Array;
  readonly #attributes: AttributeReader;
  readonly #tree: TreeTracker;
  #beforeBody: ScannedPage | null = null;

  constructor(text: string) {
    this.#text = text;
    this.#codes = characterCodes(text);
    this.#tree = new TreeTracker(text, this.#codes);
    this.#attributes = new AttributeReader(text, this.#codes);
  }

  run(): ScannedPage {
    for (let at = 0; at !== -1;) at = this.#tree.isPlain ? this.#plain(at) : this.#special(at);
    return this.#page;
  }

  /** Passes all tags up to one that matters, then reads that one: nearly the whole page is passed in this loop. */
  #plain(from: number): number {
    const text = this.#text;
    const codes = this.#codes;
    let at = from;
    while (at !== -1) {
      const tag = nextTag(text, codes, at) + 1;
      if (tag === 0) return -1;
      const code = codes[tag] ?? 0;
      const nameStart = code === slash ? tag + 1 : tag;
      if (!isLetter(codes[nameStart] ?? 0)) {
        at = this.#noTag(tag);
        continue;
      }
      const nameEnd = endOfName(codes, nameStart);
      if (matters(codes, nameStart, nameEnd))
        return nameStart === tag ? this.#startTag(tag, nameEnd) : this.#endTag(nameStart, nameEnd);
      at = this.#attributes.skip(nameEnd);
    }
    return -1;
  }

  /** The same, one step, where every tag counts: before the body, in `select`, in framesets and in foreign content. */
  #special(from: number): number {
    const codes = this.#codes;
    const tag = nextTag(this.#text, codes, from) + 1;
    if (this.#tree.watchesText) this.#watchText(from, tag === 0 ? codes.length : tag - 1);
    if (tag === 0) return -1;
    if (isLetter(codes[tag] ?? 0)) return this.#startTag(tag, endOfName(codes, tag));
    if (codes[tag] === slash && isLetter(codes[tag + 1] ?? 0)) return this.#endTag(tag + 1, endOfName(codes, tag + 1));
    return this.#noTag(tag);
  }

  /** What follows a `<` that opens no tag: a comment, a declaration, or text. */
  #noTag(at: number): number {
    const text = this.#text;
    const code = this.#codes[at];
    if (code === exclamation) return this.#declaration(at + 1);
    if ((code === slash && at + 1 < text.length) || code === question) return after(text, ">", at + 1);
    if (this.#tree.watchesText) this.#tree.text();
    return at;
  }

  #startTag(nameStart: number, nameEnd: number): number {
    const name = tagName(this.#text, this.#codes, nameStart, nameEnd);
    if (name === "a" && this.#tree.isPlain) return this.#anchor(nameEnd);
    const values = this.#values(name, nameEnd);
    const { end } = this.#attributes;
    if (end === -1) return -1;
    const hadBody = this.#tree.hasBody;
    const place = this.#tree.startTag(name, values, this.#attributes.isSelfClosing, nameStart);
    if (!hadBody && this.#tree.hasBody) this.#rememberHead();
    if (place === "svg" && name === "a") this.#link("a", values.get("href") ?? values.get("xlink:href"));
    return place === "html" ? this.#element(name, values, end) : end;
  }

  /** An `a` where nothing special is open; by far the most frequent element that matters. */
  #anchor(from: number): number {
    const attributes = this.#attributes;
    attributes.begin(from);
    let href: string | undefined;
    while (attributes.next()) if (href === undefined && attributes.is("href")) href = attributes.value();
    if (attributes.end !== -1) this.#link("a", href);
    return attributes.end;
  }

  #values(name: string, from: number): ReadonlyMap<string, string> {
    const names = wanted.get(name);
    if (names === undefined) {
      this.#attributes.skip(from);
      return none;
    }
    this.#attributes.begin(from);
    return this.#attributes.collect(names);
  }

  #element(name: string, values: ReadonlyMap<string, string>, end: number): number {
    switch (name) {
      case "a":
      case "area":
        this.#link(name, values.get("href"));
        return end;
      case "frame":
        this.#link(name, values.get("src"));
        return end;
      case "frameset":
        this.#dropBody();
        return end;
      case "link":
        this.#linkElement(values);
        return end;
      case "base":
        if (this.#tree.isRendered) this.#page.baseHref ??= trimmed(values.get("href"));
        return end;
      case "meta":
        if (this.#tree.isRendered) this.#meta(values);
        return end;
      case "iframe":
        this.#link(name, values.get("src"));
        return this.#skipRawText(name, end);
      case "title":
        return this.#title(end);
      case "script":
        return this.#afterEndTag(endOfScript(this.#text, end), name);
      case "style":
      case "textarea":
      case "xmp":
      case "noembed":
      case "noframes":
        return this.#skipRawText(name, end);
      case "plaintext":
        return -1;
      default:
        return end;
    }
  }

  #endTag(nameStart: number, nameEnd: number): number {
    const end = this.#attributes.skip(nameEnd);
    if (end === -1) return -1;
    const hadBody = this.#tree.hasBody;
    this.#tree.endTag(tagName(this.#text, this.#codes, nameStart, nameEnd), nameStart);
    if (!hadBody && this.#tree.hasBody) this.#rememberHead();
    return end;
  }

  #declaration(from: number): number {
    if (this.#text.startsWith("--", from)) return endOfComment(this.#text, from + 2);
    if (this.#tree.allowsCdata && this.#text.startsWith("[CDATA[", from)) return after(this.#text, "]]>", from + 7);
    return after(this.#text, ">", from);
  }

  #skipRawText(name: string, from: number): number {
    return this.#afterEndTag(endOfRawText(this.#text, from, name), name);
  }

  #afterEndTag(endTag: number, name: string): number {
    return endTag === -1 ? -1 : this.#attributes.skip(endTag + 2 + name.length);
  }

  #title(from: number): number {
    const endTag = endOfRawText(this.#text, from, "title");
    if (this.#tree.isRendered && this.#page.title === null)
      this.#page.title = titleText(
        this.#text.slice(from, Math.min(endTag === -1 ? this.#text.length : endTag, from + 10_000)),
      );
    return this.#afterEndTag(endTag, "title");
  }

  #link(kind: LinkKind, written: string | undefined): void {
    const href = trimmed(written);
    if (href !== null && this.#tree.isRendered) this.#page.links.push({ href, kind });
  }

  #linkElement(values: ReadonlyMap<string, string>): void {
    const kind = linkKind(values.get("rel"), values.get("type"));
    if (kind === null) return;
    this.#link(kind, values.get("href"));
    if (kind === "canonical" && this.#tree.isRendered) this.#page.canonical ??= trimmed(values.get("href"));
  }

  #meta(values: ReadonlyMap<string, string>): void {
    const content = values.get("content") ?? "";
    const directive = values.get("http-equiv")?.toLowerCase();
    this.#page.metaCharset ??= trimmed(
      values.get("charset") ??
        (directive === "content-type" ? /charset\s*=\s*["']?([^\s;"']+)/i.exec(content)?.[1] : undefined),
    );
    if (directive === "refresh") this.#link("refresh", refreshAddress(content) ?? undefined);
    if (values.get("name")?.toLowerCase() === "robots" && /(?:^|[\s,])(?:nofollow|none)(?:$|[\s,])/i.test(content))
      this.#page.nofollow = true;
  }

  #rememberHead(): void {
    this.#beforeBody = { ...this.#page, links: [...this.#page.links] };
  }

  #dropBody(): void {
    if (this.#beforeBody !== null) Object.assign(this.#page, this.#beforeBody);
    this.#beforeBody = null;
  }

  #watchText(start: number, end: number): void {
    for (let at = start; at < end; at += 1) {
      const code = this.#codes[at] ?? 0;
      if (isSpace(code)) continue;
      if (!this.#tree.hasBody) this.#rememberHead();
      this.#tree.text(code === 0);
      if (code !== 0) return;
    }
  }
}

const none: ReadonlyMap<string, string> = new Map();

/** The attributes that matter, by element. */
const wanted = new Map<string, readonly string[]>([
  ["a", ["href", "xlink:href"]],
  ["area", ["href"]],
  ["base", ["href"]],
  ["link", ["href", "rel", "type"]],
  ["meta", ["http-equiv", "content", "name", "charset"]],
  ["iframe", ["src"]],
  ["frame", ["src"]],
  ["template", ["shadowrootmode"]],
  ["input", ["type"]],
  ["font", ["color", "face", "size"]],
  ["annotation-xml", ["encoding"]],
]);

/** For each length of name, the first letters (as bits) of the names that matter where nothing special is open. */
const firstLetters = new Int32Array(16);
for (const name of "a area base iframe link math meta noembed noframes plaintext script select style svg table template textarea title xmp".split(
  " ",
)) {
  firstLetters[name.length] = (firstLetters[name.length] ?? 0) | (1 << (name.charCodeAt(0) & 31));
}

/** Whether a tag's name may be one that matters; may say yes to others. */
function matters(codes: Uint16Array, start: number, end: number): boolean {
  return ((firstLetters[end - start] ?? 0) & (1 << ((codes[start] ?? 0) & 31))) !== 0;
}

/** Index of the next `<`, or -1. Between most tags there are few characters, which a loop passes faster than a call. */
function nextTag(text: string, codes: Uint16Array, from: number): number {
  const near = Math.min(codes.length, from + 32);
  for (let at = from; at < near; at += 1) if (codes[at] === lessThan) return at;
  return text.indexOf("<", near);
}

/** The name in lower case; empty where it holds other than ASCII, which no name that matters does. */
function tagName(text: string, codes: Uint16Array, start: number, end: number): string {
  let key = end - start > 6 ? -1 : 0;
  for (let at = start; at < end && key !== -1; at += 1) {
    const code = codes[at] ?? 0;
    key = isLetter(code) ? (key << 5) | (code & 31) : -1;
  }
  const known = key === -1 ? undefined : shortNames.get(key);
  if (known !== undefined) return known;
  const written = text.slice(start, end);
  const name = /^[!-~]+$/.test(written) ? written.toLowerCase() : "";
  // bounded: a hostile page may name a million elements
  if (key !== -1 && shortNames.size < 1000) shortNames.set(key, name);
  return name;
}

/** Names of up to six letters by their letters' five bits each: one string per name, made once. */
const shortNames = new Map<number, string>();

function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? -1 : found + what.length;
}

function trimmed(value: string | undefined): string | null {
  return value === undefined ? null : trimHtml(value) || null;
}

function titleText(raw: string): string | null {
  const text = decodeHTML(raw).replaceAll("\0", "\uFFFD").replaceAll(/\s+/g, " ").trim();
  // a cut may leave half of a character
  return text.length > 300
    ? text
        .slice(0, 300)
        .replace(/[\uD800-\uDBFF]$/, "")
        .trimEnd()
    : text || null;
}
