import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { isWebAddress } from "@web-tester/contracts/entities/vocabulary";
import { AppError } from "@web-tester/contracts/errors";
import { sniffCharset } from "@web-tester/html/charset/decode";
import { makeZip } from "client-zip";
import { selectExportedAssets } from "./export-assets.sql.js";
import { type ExportDeps, isLost } from "./export-json.js";
import type { ExportedObject } from "./export-rows.sql.js";
import type { LeftOut } from "./left-out.js";
import { type ArchivedPage, selectAtIndex } from "./select-at-index.sql.js";
import { httpRequest, httpResponse, surt, type WarcRecord, warcRecord } from "./warc-record.js";

const pagesAtOnce = 50;
const compress = promisify(gzip);
const warcPath = "archive/data.warc.gz";

/**
 * Exports a web archive (WACZ 1.1.1) of an object's pages at one index, with their assets; it opens in ReplayWeb.page.
 * @param index 0 = latest finished snapshot of each instance
 * @param leftOut counts the pages and files that cannot be read; the archive's description says so
 * @throws AppError not_found where no instance has a snapshot there
 */
export async function exportWacz(
  deps: ExportDeps,
  object: ExportedObject,
  index: number,
  now: Date,
  leftOut: LeftOut,
): Promise<AsyncIterable<Uint8Array>> {
  const first = await selectAtIndex(deps.db, object.id, index, "", 1);
  if (first.length === 0)
    throw new AppError(
      "not_found",
      `No page of “${object.name}” has a finished snapshot at index ${index + 1}. Fetch snapshots first, or choose a lower index.`,
    );
  return makeZip(new WaczWriter(deps, object, index, now, leftOut).files());
}

interface Resource {
  name: string;
  path: string;
  hash: string;
  bytes: number;
}

class WaczWriter {
  /** Lines of the index, which are small compared to the pages they refer to. */
  private readonly index: string[] = [];
  private readonly pages: string[] = [];
  private readonly resources: Resource[] = [];
  /** Answers that were written, and those of them that are pages: another page with the same answer writes it again, at its own time. */
  private readonly written = new Set<string>();
  private readonly ofPages = new Set<string>();
  private offset = 0;

  constructor(
    private readonly deps: ExportDeps,
    private readonly object: ExportedObject,
    private readonly at: number,
    private readonly now: Date,
    private readonly leftOut: LeftOut,
  ) {}

  async *files() {
    yield { name: warcPath, input: this.counted("data.warc.gz", warcPath, this.warc()), lastModified: this.now };
    this.index.sort((a, b) => (a < b ? -1 : 1));
    yield this.text("index.cdx", "indexes/index.cdx", this.index);
    const head = JSON.stringify({ format: "json-pages-1.0", id: "pages", title: "All Pages" });
    yield this.text("pages.jsonl", "pages/pages.jsonl", [head, ...this.pages]);
    const description = JSON.stringify(
      {
        profile: "data-package",
        wacz_version: "1.1.1",
        title: this.object.name,
        ...(this.leftOut.said === null ? {} : { description: this.leftOut.said }),
        created: this.now.toISOString(),
        software: "web-tester",
        resources: this.resources,
      },
      null,
      2,
    );
    yield { name: "datapackage.json", input: description, lastModified: this.now };
    const digest = {
      path: "datapackage.json",
      hash: `sha256:${createHash("sha256").update(description).digest("hex")}`,
    };
    yield { name: "datapackage-digest.json", input: JSON.stringify(digest), lastModified: this.now };
  }

  private text(name: string, path: string, lines: readonly string[]) {
    const input = Buffer.from(`${lines.join("\n")}\n`);
    const hash = `sha256:${createHash("sha256").update(input).digest("hex")}`;
    this.resources.push({ name, path, hash, bytes: input.length });
    return { name: path, input: new Uint8Array(input), lastModified: this.now };
  }

  private async *counted(
    name: string,
    path: string,
    source: AsyncIterable<Buffer>,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      yield new Uint8Array(chunk);
    }
    this.resources.push({ name, path, hash: `sha256:${hash.digest("hex")}`, bytes });
  }

  private async *warc(): AsyncGenerator<Buffer> {
    const about = Buffer.from("software: web-tester\r\nformat: WARC File Format 1.1\r\n");
    const info: WarcRecord = {
      type: "warcinfo",
      url: null,
      date: this.now,
      contentType: "application/warc-fields",
      block: about,
    };
    yield await this.pack(warcRecord(info).bytes);
    for (let after = ""; ;) {
      const page = await selectAtIndex(this.deps.db, this.object.id, this.at, after, pagesAtOnce);
      const assets = await selectExportedAssets(
        this.deps.db,
        page.map((row) => row.snapshot_id),
      );
      for (const row of page) {
        yield* this.page(row);
        for (const { url, hash, content_type: type } of assets.get(row.snapshot_id) ?? [])
          if (hash !== null && isWebAddress(url))
            yield* this.answer(url, row.fetched_at, 200, { "content-type": type }, hash);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pagesAtOnce) return;
      after = last.url;
    }
  }

  private async *page(row: ArchivedPage): AsyncGenerator<Buffer> {
    const { url, fetched_at: date, headers, http_status: status, hash } = row;
    // earlier versions imported any text as an address; one that is invalid must not get into a web archive
    const final = row.final_url !== null && isWebAddress(row.final_url) ? row.final_url : null;
    const hops = (row.redirects ?? []).filter((hop) => isWebAddress(hop.url));
    for (const [at, hop] of hops.entries()) {
      const location = hops[at + 1]?.url ?? final ?? url;
      yield* this.record(hop.url, date, hop.status, { location }, Buffer.alloc(0), emptyHash);
    }
    const target = hops.length > 0 && final !== null ? final : url;
    yield* this.answer(
      target,
      date,
      // 304 stands for the stored page, which was answered with 200; replayed with its bytes, a 304 would show nothing
      status === null || status === 304 ? 200 : status,
      headers ?? {},
      hash,
      { about: `snapshot: ${row.snapshot_id}\r\ninstance: ${row.id}\r\n`, charset: row.charset },
    );
    this.pages.push(JSON.stringify({ id: row.snapshot_id, url: target, title: row.name, ts: date.toISOString() }));
  }

  private async *answer(
    url: string,
    date: Date,
    status: number,
    headers: Readonly<Record<string, unknown>>,
    hash: string,
    page?: { about: string; charset: string | null },
  ): AsyncGenerator<Buffer> {
    const key = `${hash} ${url}`;
    const isPage = page !== undefined;
    if (this.written.has(key) && !(isPage && this.ofPages.has(key))) return;
    try {
      const body = await this.deps.store.read(Buffer.from(hash, "hex"));
      const told = isPage ? withCharset(headers, body, page.charset) : headers;
      yield* this.record(url, date, status, told, body, hash, page?.about);
      this.written.add(key);
      if (isPage) this.ofPages.add(key);
    } catch (error) {
      // a page whose bytes are lost is left out of the archive
      if (!isLost(error)) throw error;
      if (isPage) this.leftOut.snapshot();
      else this.leftOut.file(hash);
    }
  }

  private async *record(
    url: string,
    date: Date,
    status: number,
    headers: Readonly<Record<string, unknown>>,
    body: Buffer,
    hash: string,
    about?: string,
  ): AsyncGenerator<Buffer> {
    const common = { url, date };
    const answer = warcRecord({
      ...common,
      type: "response",
      contentType: "application/http; msgtype=response",
      block: httpResponse(status, headers, body),
      payloadHash: hash,
    });
    const packed = await this.pack(answer.bytes, (offset, length) => {
      const mime = /^[\w.+/-]+/.exec(String(headers["content-type"] ?? ""))?.[0] ?? "";
      const stamp = date.toISOString().replace(/[-:T]|\..*$/g, "");
      const entry = {
        url,
        mime,
        status: String(status),
        digest: `sha256:${hash}`,
        length: String(length),
        offset: String(offset),
        filename: "data.warc.gz",
      };
      this.index.push(`${surt(url)} ${stamp} ${JSON.stringify(entry)}`);
    });
    yield packed;
    const belongs = { ...common, concurrentTo: answer.id };
    const request = { ...belongs, type: "request", contentType: "application/http; msgtype=request" } as const;
    yield await this.pack(warcRecord({ ...request, block: httpRequest(url) }).bytes);
    if (about === undefined) return;
    const metadata = { ...belongs, type: "metadata", contentType: "application/warc-fields" } as const;
    yield await this.pack(warcRecord({ ...metadata, block: Buffer.from(about) }).bytes);
  }

  /** Compresses a record as a gzip member of its own, so that it can be read alone. */
  private async pack(bytes: Buffer, place?: (offset: number, length: number) => void): Promise<Buffer> {
    const packed = await compress(bytes);
    place?.(this.offset, packed.length);
    this.offset += packed.length;
    return packed;
  }
}

/**
 * Makes the headers of a page tell the charset of its stored bytes, where players and imports would read another one: a page that a
 * browser built, or that was imported as text, is stored as UTF-8, with the headers of its server.
 */
function withCharset(
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
  charset: string | null,
): Readonly<Record<string, unknown>> {
  const [first] = [headers["content-type"]].flat();
  const type = typeof first === "string" ? first : null;
  if (charset === null || sniffCharset(body, type).charset === charset) return headers;
  return { ...headers, "content-type": `${(type ?? "text/html").split(";", 1)[0]}; charset=${charset}` };
}

const emptyHash = createHash("sha256").digest("hex");
