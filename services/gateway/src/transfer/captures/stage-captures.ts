import type { AssetExtension } from "@web-tester/contracts/asset-types";
import { isWebAddress } from "@web-tester/contracts/entities/vocabulary";
import { AppError } from "@web-tester/contracts/errors";
import { budgets, limits } from "@web-tester/contracts/limits";
import { sniffCharset } from "@web-tester/html/charset/decode";
import { looksBinary } from "@web-tester/html/charset/is-html";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { assetExtension } from "@web-tester/replay/asset-type";
import { canonicalText } from "@web-tester/urls/canonical-url";
import type { ReadRecord } from "../read-records.js";
import { addressOf, type Capture, type CapturedContent, sha1Base32 } from "./capture.js";
import { type KeptAnswer, KeptFiles } from "./kept-files.js";
import { LeftOut } from "./left-out.js";
import { ownText } from "./own-text.js";
import type { CdxLine } from "./read-cdx.js";
import { type ArchivePiece, readCaptures } from "./read-captures.js";

/** The object that an archive's history is imported to. */
export interface CaptureTarget {
  url: string;
  name: string;
}

export interface CaptureDesk {
  /**
   * Stores bytes for the import.
   * @param hash in hex
   */
  keep(hash: string, bytes: Buffer): Promise<void>;
  /**
   * Stages a record in the form of an export file.
   * @returns why it cannot be stored, in words, or null
   */
  stage(record: ReadRecord): Promise<string | null>;
}

const redirectsRemembered = 20_000;
/** A redirect counts as leading to a page if it was requested at most this long before. */
const redirectMaxMs = 120_000;
/** Clocks of archives may be ahead by this much, as in every other import. */
const aheadMaxMs = 24 * 3_600_000;
/** The precision of times in archives: WARC 1.0 has whole seconds. */
const dateMs = 1_000;
const filesRemembered = 200_000;
/** Records that repeat one that has not come yet, and the characters of all of them. */
const repeatsRemembered = 20_000;
const repeatCharsMax = 20_000_000;
const linesMax = 1_000_000;
/** What these lines may have together: as many characters as that number of usual ones. */
const lineCharsMax = 200_000_000;
const contentTypeMaxChars = 300;
/** Longer than the digest of any algorithm. */
const digestMaxChars = 200;
const htmlMaxMiB = budgets.htmlMaxBytes / 1024 ** 2;

/**
 * Makes records of a web archive: each page becomes an instance with a snapshot for each time, all of one object: the given one, else
 * the site of the first page. Bytes are stored as they arrive; records are passed to the desk, and the files of pages are found later.
 * @throws AppError invalid_json where it holds no page
 */
export async function stageCaptures(
  form: "warc" | "zip",
  chunks: AsyncIterable<Uint8Array>,
  target: CaptureTarget | null,
  desk: CaptureDesk,
): Promise<{ kept: KeptFiles; leftOut: LeftOut }> {
  const leftOut = new LeftOut();
  const staging = new CaptureStaging(target, desk, leftOut);
  for await (const piece of readCaptures(form, chunks, leftOut)) await staging.take(piece);
  await staging.end();
  if (staging.pages === 0) {
    const words = leftOut.words().slice(0, 5).join(" ");
    throw new AppError(
      "invalid_json",
      `This web archive contains no page that can be imported. Nothing was imported.${words === "" ? "" : ` ${words}`}`,
    );
  }
  return { kept: staging.kept, leftOut };
}

class CaptureStaging {
  readonly kept = new KeptFiles();
  pages = 0;
  private site: string | null;
  private readonly counts = { testObjects: 0, testInstances: 0, testSnapshots: 0 };
  /** By canonical address of a page, the time and hash of its last capture. */
  private readonly seen = new Map<string, string>();
  /** Redirects by the address that they lead to. */
  private readonly redirects = new Map<string, { url: string; status: number; ms: number }>();
  private readonly files = new Map<string, KeptAnswer>();
  /** Repeats whose bytes may be in a later file: those of several crawlers come in any order. */
  private repeats: Capture[] = [];
  private repeatChars = 0;
  private lines: CdxLine[] = [];
  private lineChars = 0;

  constructor(
    private readonly target: CaptureTarget | null,
    private readonly desk: CaptureDesk,
    private readonly leftOut: LeftOut,
  ) {
    this.site = target === null ? null : siteOf(target.url);
  }

  async take(piece: ArchivePiece): Promise<void> {
    if (piece.kind === "capture") await this.capture(piece.capture);
    else if (piece.kind === "file") await this.file(piece.name, piece.bytes);
    else this.line(piece.line);
  }

  private line({ url, ms, stamp, status, contentType, digest }: CdxLine): void {
    if (url.length > limits.urlMaxChars) return this.isTooLong(url);
    const line = {
      ...{ ms, status, url: ownText(url, url.length), stamp: ownText(stamp, stamp.length) },
      ...{ contentType: ownText(contentType, contentTypeMaxChars), digest: ownText(digest, digestMaxChars) },
    };
    const chars = line.url.length + line.stamp.length + line.contentType.length + line.digest.length;
    if (this.lines.length >= linesMax || this.lineChars + chars > lineCharsMax)
      return this.leftOut.add("index lines, because too many came before", line.url);
    this.lineChars += chars;
    this.lines.push(line);
  }

  private isTooLong(url: string): void {
    this.leftOut.add(`responses from addresses with more than ${limits.urlMaxChars} characters`, url.slice(0, 80));
  }

  /** Uses what was waiting for the end of the file: records that repeat later ones, and the lines of indexes. */
  async end(): Promise<void> {
    const repeats = this.repeats.toSorted((one, other) => one.ms - other.ms);
    this.repeats = [];
    for (const capture of repeats) await this.capture(capture, { isLast: true });
    const lines = this.lines.toSorted((one, other) => one.ms - other.ms);
    this.lines = [];
    for (const line of lines) {
      const { url, ms, stamp, status, contentType, digest } = line;
      const found = this.files.get(digest) ?? this.files.get(`${stamp} ${withoutScheme(url)}`);
      const address = addressOf(url);
      if (address === null || !isWebAddress(address))
        this.leftOut.add("index lines whose addresses are not http or https", url);
      else if (found !== undefined)
        await this.capture({
          url: address,
          ms,
          status: status === 0 ? 200 : status,
          headers: {},
          contentType,
          content: { kind: "kept", answer: { ...found, ms, contentType } },
        });
      else if (status >= 300) this.leftOut.add("index lines about redirects and errors", url);
      else if (this.kept.withDigest(`SHA1:${digest}`) === null)
        this.leftOut.add("index lines whose captures are not in the file", url);
    }
  }

  private async file(name: string, bytes: Buffer): Promise<void> {
    if (this.files.size >= filesRemembered) {
      this.leftOut.add(`files beyond the first ${filesRemembered}`, name);
      return;
    }
    const answer = await this.answerOf(bytes, "", 0);
    this.files.set(sha1Base32(bytes), answer);
    const [, stamp, rest] = /(?:^|\/)(\d{14})(?:[a-z]{2}_)?\/(.+)$/.exec(name) ?? [];
    if (stamp !== undefined && rest !== undefined && rest.length <= limits.urlMaxChars)
      this.files.set(`${stamp} ${withoutScheme(ownText(rest, rest.length))}`, answer);
  }

  /** @param isLast whether all other records were taken */
  private async capture(capture: Capture, { isLast } = { isLast: false }): Promise<void> {
    const { url, status, ms } = capture;
    if (url.length > limits.urlMaxChars) return this.isTooLong(url);
    // the page would be created, and then its snapshot refused
    if (ms > Date.now() + aheadMaxMs) return this.leftOut.add("records with a time in the future", url);
    if (status >= 300 && status < 400) return this.redirect(capture);
    if (status < 200 || status > 299) return this.leftOut.add("responses with an error status", `${status} ${url}`);
    const found = await this.contentOf(capture);
    if (found === null && !isLast && this.waits(capture)) return;
    if (found === null)
      return this.leftOut.add("records that repeat an earlier record which is missing in the file", url);
    const answer = { ...found.answer, ms: capture.ms };
    if (!this.kept.add(url, found.digests, answer))
      this.leftOut.add("possible files of pages, because too many came before", url);
    if (!answer.isPage) return this.noPage(capture);
    if (answer.isTooLong) return this.leftOut.add(`pages of more than ${htmlMaxMiB} MiB`, url);
    // because a fetch does not store parts of pages either
    if (status === 206) return this.leftOut.add("responses with only a part of a page", url);
    await this.page(capture, answer);
  }

  /** Counts what says that it is a page and is none; everything else is a file of pages. */
  private noPage({ url, contentType, content }: Capture): void {
    if (content.kind === "bytes" && content.bytes.length > 0 && isHtmlType(contentType))
      this.leftOut.add("responses of type HTML that are no text", url);
  }

  /** Remembers a capture until all records were taken; false where there are too many. */
  private waits(capture: Capture): boolean {
    const text = JSON.stringify(capture);
    if (this.repeats.length >= repeatsRemembered || this.repeatChars + text.length > repeatCharsMax) return false;
    this.repeatChars += text.length;
    // a copy, because its texts are parts of the record's and would keep all of that alive
    this.repeats.push(JSON.parse(text));
    return true;
  }

  private async contentOf({
    content,
    contentType,
    ms,
  }: Capture): Promise<{ answer: KeptAnswer; digests: string[] } | null> {
    if (content.kind === "kept") return { answer: content.answer, digests: [] };
    if (content.kind === "bytes") {
      const digests = [
        ...(content.digest === null ? [] : [ownText(nameOf(content.digest), digestMaxChars)]),
        `SHA1:${sha1Base32(content.bytes)}`,
        ...(content.record === null ? [] : [content.record]),
      ];
      return { answer: await this.answerOf(content.bytes, contentType, ms), digests };
    }
    const same = this.sameAs(content);
    return same === null ? null : { answer: same, digests: [] };
  }

  /**
   * Finds the bytes that a capture repeats. Bytes of its address at another time may be another version, because the right one can be
   * in a file that was not given.
   */
  private sameAs({ digest, record, url, ms, isDated }: CapturedContent & { kind: "same" }): KeptAnswer | null {
    const known = digest === null ? null : this.kept.withDigest(nameOf(digest));
    const named = known === null && record !== null ? this.kept.withDigest(record) : known;
    if (named !== null) return named;
    const nearest = this.kept.nearest(url, ms);
    if (nearest === null) return null;
    return (isDated ? Math.abs(nearest.ms - ms) < dateMs : digest === null && record === null) ? nearest : null;
  }

  private async answerOf(bytes: Buffer, contentType: string, ms: number): Promise<KeptAnswer> {
    const hash = hashContent(bytes).toString("hex");
    await this.desk.keep(hash, bytes);
    const isPage = isHtml(bytes, contentType);
    const { charset } = isPage ? sniffCharset(bytes, contentType === "" ? null : contentType) : { charset: "utf-8" };
    const extension: AssetExtension = isPage ? "html" : assetExtension(contentType, bytes);
    const isTooLong = bytes.length > budgets.htmlMaxBytes;
    return {
      ...{ ms, hash, extension, charset, isPage, isTooLong },
      contentType: ownText(contentType, contentTypeMaxChars),
    };
  }

  private redirect({ url, status, headers, ms }: Capture): void {
    const [location] = [headers["location"] ?? []].flat();
    const to = location === undefined ? null : URL.parse(location, url)?.href;
    if (to === null || to === undefined) return;
    if (to.length > limits.urlMaxChars) return this.isTooLong(to);
    if (this.redirects.size >= redirectsRemembered)
      return this.leftOut.add(`redirects beyond the first ${redirectsRemembered}`, url);
    this.redirects.set(plain(ownText(to, to.length)), { url, status, ms });
  }

  /**
   * The redirect chain that led to an address, beginning with its first address. Each redirect is used once: a later capture of the
   * page is taken for a direct request.
   */
  private chainTo(url: string, ms: number): { url: string; status: number }[] {
    const chain: { url: string; status: number }[] = [];
    for (let at = plain(url); chain.length < budgets.redirectsMax;) {
      const before = this.redirects.get(at);
      if (before === undefined || ms < before.ms - 1_000 || ms - before.ms > redirectMaxMs) break;
      if (plain(before.url) === plain(url) || chain.some((hop) => hop.url === before.url)) break;
      this.redirects.delete(at);
      chain.unshift({ url: before.url, status: before.status });
      at = plain(before.url);
    }
    return chain;
  }

  private async page({ url, ms, status, headers }: Capture, { hash, charset }: KeptAnswer): Promise<void> {
    this.site ??= siteOf(url);
    if (siteOf(url) !== this.site) return this.leftOut.add(`pages of other sites than ${this.site}`, url);
    const chain = this.chainTo(url, ms);
    const [asked] = chain;
    // addresses that differ only in http or https, or in `www.`, are one page
    const hasMoved =
      asked !== undefined && siteOf(asked.url) === this.site && withoutScheme(asked.url) !== withoutScheme(url);
    const address = canonicalText(new URL(hasMoved ? asked.url : url));
    if (address === null) return this.leftOut.add("pages whose addresses cannot be fetched", url);
    const what = `${ms} ${hash}`;
    if (this.seen.get(address) === what) return;
    if (!this.seen.has(address)) {
      if (this.seen.size >= budgets.crawlPagesMax)
        return this.leftOut.add(`pages beyond the first ${budgets.crawlPagesMax}`, url);
      const fault = await this.instance(address);
      if (fault !== null) return this.leftOut.add("pages that cannot be stored", `${address}: ${fault}`);
    }
    this.seen.set(address, what);
    const time = new Date(ms).toISOString();
    const fault = await this.record("testSnapshots", {
      id: `capture-${this.counts.testSnapshots + 1}`,
      testinstance_id: address,
      ...{ created_at: time, fetched_at: time, state: "done", html_sha256: hash, charset },
      headers,
      http_status: status,
      ...(hasMoved ? { final_url: url, redirects: chain } : { final_url: url }),
      fetch_mode_used: "http",
    });
    if (fault !== null) return this.leftOut.add("pages that cannot be stored", `${url}: ${fault}`);
    this.pages += 1;
  }

  private async instance(address: string): Promise<string | null> {
    const object = this.target ?? { url: new URL("/", address).href, name: new URL(address).host };
    if (this.counts.testObjects === 0)
      await this.record("testObjects", { id: "site", name: object.name, url: object.url });
    return this.record("testInstances", { id: address, testobject_id: "site", url: address });
  }

  private async record(list: ReadRecord["list"], value: unknown): Promise<string | null> {
    this.counts[list] += 1;
    return this.desk.stage({ list, record: this.counts[list], line: 0, value });
  }
}

function isHtml(bytes: Buffer, contentType: string): boolean {
  if (bytes.length === 0) return false;
  if (isHtmlType(contentType)) return !looksBinary(bytes);
  return (
    typeEssence(contentType) === "" &&
    /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head)\b/i.test(bytes.toString("latin1", 0, 512))
  );
}

function isHtmlType(contentType: string): boolean {
  return ["text/html", "application/xhtml+xml"].includes(typeEssence(contentType));
}

function typeEssence(contentType: string): string {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Host without `www.`, with its port. */
function siteOf(url: string): string {
  return new URL(url).host.replace(/^www\d*\./, "");
}

function plain(url: string): string {
  return url.split("#", 1)[0] ?? url;
}

function withoutScheme(url: string): string {
  return plain(url)
    .replace(/^https?:\/+/i, "")
    .replace(/^www\d*\./i, "")
    .replace(/\/$/, "");
}

/** Normalises a digest, because programs write the name of its algorithm in different cases. */
function nameOf(digest: string): string {
  return digest.toUpperCase();
}
