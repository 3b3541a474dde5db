/** What a sitemap file turned out to be; a feed is RSS or Atom. */
export type SitemapKind = "urlset" | "index" | "text" | "feed" | "unknown";

export interface SitemapOptions {
  /** Where the sitemap was loaded from; relative entries are resolved against it. */
  address: URL;
  /** Tells which pages are wanted; others are out of scope. It is not asked about sitemaps inside an index. */
  isInScope?: (url: URL) => boolean;
  maxUrls?: number;
  maxBytes?: number;
  dropParams?: readonly string[];
}

/**
 * Canonical addresses in the order of the file, each page and sitemap once; an address that is out of scope comes as often
 * as the file names it.
 */
export interface SitemapBatch {
  pages: string[];
  sitemaps: string[];
  outOfScope: string[];
}

/** The result of reading one sitemap file. */
export interface SitemapReport {
  kind: SitemapKind;
  pages: number;
  sitemaps: number;
  duplicates: number;
  outOfScope: number;
  /** Entries that are no http or https address, or longer than 2,000 characters. */
  invalid: number;
  /** Which budget ended the reading; what was read before counts. */
  limit: "urls" | "bytes" | null;
  /** What is wrong with the file, in words for the person who owns it; null where nothing is. Entries may have been read nevertheless. */
  problem: string | null;
}
