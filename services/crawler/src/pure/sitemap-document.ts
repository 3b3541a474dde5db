import { canonicalUrl } from "@web-tester/urls/canonical-url";
import { linkKey } from "@web-tester/urls/link-keys";
import type { SitemapBatch, SitemapOptions, SitemapReport } from "./sitemap-report.js";
import { SitemapText } from "./sitemap-text.js";
import { SitemapXml } from "./sitemap-xml.js";

/** One sitemap while it is read: bytes in, addresses and a report out. See `readSitemap`. */
export class SitemapDocument {
  readonly #options: SitemapOptions;
  readonly #maxUrls: number;
  readonly #text = new SitemapText();
  readonly #xml = new SitemapXml({
    entry: (kind, text) => this.#entry(kind, text),
    root: (kind) => (this.#report.kind = kind),
    refuse: (problem) => this.#stop(problem),
  });
  readonly #report: SitemapReport = {
    kind: "unknown",
    pages: 0,
    sitemaps: 0,
    duplicates: 0,
    outOfScope: 0,
    invalid: 0,
    limit: null,
    problem: null,
  };
  /** Hashes of the addresses seen, not the addresses themselves: fifty thousand of them are small, whatever the file holds. */
  readonly #seen = new Set<number>();
  #batch: SitemapBatch = emptyBatch();
  #format: "undecided" | "xml" | "lines" = "undecided";
  #line = "";
  isDone = false;

  constructor(options: SitemapOptions) {
    this.#options = options;
    this.#maxUrls = options.maxUrls ?? 50_000;
  }

  /** How many addresses `takeBatch` would return. */
  get waiting(): number {
    return this.#batch.pages.length + this.#batch.sitemaps.length + this.#batch.outOfScope.length;
  }

  takeBatch(): SitemapBatch {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    return batch;
  }

  write(bytes: Uint8Array): void {
    this.#read(this.#text.write(bytes));
  }

  end({ isDamaged, isOverBudget }: { isDamaged: boolean; isOverBudget: boolean }): void {
    this.#read(this.#text.end());
    if (this.isDone) return;
    if (isOverBudget) this.#report.limit = "bytes";
    if (this.#format === "undecided") this.#report.problem = isDamaged ? damaged : "The file is empty.";
    else if (this.#format === "xml") this.#endXml(isDamaged);
    else {
      if (!isDamaged && !isOverBudget) this.#readLine(this.#line);
      this.#report.problem ??= isDamaged
        ? damaged
        : this.#report.pages + this.#report.outOfScope === 0
          ? noSitemap
          : null;
    }
    if (isOverBudget) this.#report.problem = tooLarge;
  }

  report(): SitemapReport {
    return this.#report;
  }

  #endXml(isDamaged: boolean): void {
    const isCutOff = this.#xml.end();
    if (isDamaged) this.#report.problem = damaged;
    else if (isCutOff)
      this.#report.problem =
        "The file is cut off: its end is missing. What came before was read; load it again or repair it.";
  }

  #read(text: string): void {
    if (this.isDone || text === "") return;
    if (this.#format === "undecided") {
      const start = text.trimStart();
      if (start === "") return;
      this.#format = start.startsWith("<") ? "xml" : "lines";
      if (this.#format === "lines") this.#report.kind = "text";
      // an XML parser would refuse white space before the declaration
      return this.#read(start);
    }
    if (this.#format === "xml") this.#xml.write(text);
    else this.#readLines(text);
  }

  #readLines(text: string): void {
    const lines = (this.#line + text).split(/\r\n|\r|\n/);
    this.#line = lines.pop() ?? "";
    if (this.#line.length > maxLine) this.#line = "…".repeat(maxLine);
    for (const line of lines) if (!this.isDone) this.#readLine(line);
  }

  #readLine(line: string): void {
    const entry = line.trim();
    if (entry === "" || entry.startsWith("#")) return;
    if (/^https?:\/\//i.test(entry)) this.#entry("page", entry);
    else this.#report.invalid += 1;
    if (this.#report.pages + this.#report.outOfScope === 0 && this.#report.invalid >= 20) {
      this.#report.kind = "unknown";
      this.#stop(noSitemap);
    }
  }

  #entry(kind: "page" | "sitemap", text: string): void {
    if (this.isDone) return;
    const written = text.trim();
    const url =
      written === ""
        ? null
        : canonicalUrl(written, this.#options.address, {
            dropParams: kind === "page" ? (this.#options.dropParams ?? []) : [],
          });
    if (url === null) this.#report.invalid += 1;
    else if (this.#seen.has(linkKey(url.href))) this.#report.duplicates += 1;
    else if (kind === "page" && this.#options.isInScope?.(url) === false) {
      this.#report.outOfScope += 1;
      this.#batch.outOfScope.push(url.href);
    } else this.#keep(kind, url.href);
  }

  #keep(kind: "page" | "sitemap", address: string): void {
    if (this.#seen.size >= this.#maxUrls) {
      this.#report.limit = "urls";
      this.#stop(
        `The file names more than ${this.#maxUrls.toLocaleString("en")} addresses; the rest was left out. Split it and name the parts in a sitemap index.`,
      );
      return;
    }
    this.#seen.add(linkKey(address));
    if (kind === "page") {
      this.#report.pages += 1;
      this.#batch.pages.push(address);
    } else {
      this.#report.sitemaps += 1;
      this.#batch.sitemaps.push(address);
    }
  }

  #stop(problem: string): void {
    this.#report.problem = problem;
    this.isDone = true;
  }
}

const emptyBatch = (): SitemapBatch => ({ pages: [], sitemaps: [], outOfScope: [] });

/** Longer lines hold no address that could be kept: each is counted as invalid, and its text dropped. */
const maxLine = 10_000;
const damaged =
  "The gzip archive is damaged or cut off. What could be unpacked was read; load it again or pack it anew.";
const tooLarge =
  "The file is larger than 50 MiB unpacked; the rest was left out. Split it and name the parts in a sitemap index.";
const noSitemap =
  "The file is not a sitemap: it is neither XML nor a list of addresses, one per line. Enter the address of a sitemap.";
