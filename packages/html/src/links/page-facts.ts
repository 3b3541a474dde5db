import { decodeHTML } from "entities/decode";
import { parseRefresh, type Refresh } from "./parse-refresh.js";
import { linkKind, trimHtml, type LinkKind } from "./link-kind.js";

interface ScannedLink {
  /** As written, character references decoded, HTML white space trimmed; never empty, not resolved. */
  href: string;
  kind: LinkKind;
}

export interface ScannedPage {
  /** The links in document order, repetitions included. */
  links: ScannedLink[];
  /** The `href` of the first `base` that has one: relative links are resolved against it. */
  baseHref: string | null;
  /** The text of the first HTML `title`, decoded, white space collapsed, at most 300 characters; null where empty. */
  title: string | null;
  canonical: string | null;
  /** `content` of the first `meta name=robots`, as written. */
  robots: string | null;
  /** What the first `meta charset` or `meta http-equiv=content-type` claims, as written. */
  metaCharset: string | null;
  /** The first valid `meta http-equiv=refresh`. */
  refresh: Refresh | null;
  /** Whether `meta name=robots` says nofollow or none: the page asks that its links are not followed. */
  nofollow: boolean;
}

/** Collects the facts that the elements of a page state, in document order. Attribute values come decoded, not trimmed. */
export class PageFacts {
  page: ScannedPage = {
    links: [],
    baseHref: null,
    title: null,
    canonical: null,
    robots: null,
    metaCharset: null,
    refresh: null,
    nofollow: false,
  };
  #head: ScannedPage | null = null;

  link(kind: LinkKind, written: string | undefined): void {
    const href = trimmed(written);
    if (href !== null) this.page.links.push({ href, kind });
  }

  linkElement(values: ReadonlyMap<string, string>): void {
    const kind = linkKind(values.get("rel"), values.get("type"));
    if (kind === null) return;
    this.link(kind, values.get("href"));
    if (kind === "canonical") this.page.canonical ??= trimmed(values.get("href"));
  }

  base(values: ReadonlyMap<string, string>): void {
    this.page.baseHref ??= trimmed(values.get("href"));
  }

  meta(values: ReadonlyMap<string, string>): void {
    const content = values.get("content") ?? "";
    const directive = values.get("http-equiv")?.toLowerCase();
    const inContent = directive === "content-type" ? /charset\s*=\s*["']?([^\s;"']+)/i.exec(content)?.[1] : undefined;
    this.page.metaCharset ??= trimmed(values.get("charset") ?? inContent);
    if (directive === "refresh") {
      const refresh = parseRefresh(content);
      this.page.refresh ??= refresh;
      this.link("refresh", refresh?.address);
    }
    const isForRobots = values.get("name")?.toLowerCase() === "robots";
    if (isForRobots) this.page.robots ??= trimmed(content);
    if (isForRobots && /(?:^|[\s,])(?:nofollow|none)(?:$|[\s,])/i.test(content)) this.page.nofollow = true;
  }

  /** @param raw the content of a title element, character references not decoded */
  title(raw: string): void {
    this.page.title ??= titleText(raw);
  }

  /** To be called where the body begins: what follows may be discarded by `dropBody`. */
  beginBody(): void {
    this.#head = { ...this.page, links: [...this.page.links] };
  }

  /** Discards the facts of the body, as a frameset replaces it. */
  dropBody(): void {
    if (this.#head !== null) this.page = this.#head;
    this.#head = null;
  }
}

function trimmed(value: string | undefined): string | null {
  return value === undefined ? null : trimHtml(value) || null;
}

function titleText(raw: string): string | null {
  const start = raw.slice(0, 10_000);
  const text = (start.includes("&") ? decodeHTML(start) : start)
    .replaceAll("\0", "\uFFFD")
    .replaceAll(/\s+/g, " ")
    .trim();
  // the cut may leave half of a surrogate pair
  return text.length > 300
    ? text
        .slice(0, 300)
        .replace(/[\uD800-\uDBFF]$/, "")
        .trimEnd()
    : text || null;
}
