import { randomUUID } from "node:crypto";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";

/** One record of a WARC 1.1 file (ISO 28500:2017). */
export interface WarcRecord {
  type: "warcinfo" | "request" | "response" | "metadata";
  /** Null for warcinfo only. */
  url: string | null;
  date: Date;
  contentType: string;
  block: Buffer;
  /** SHA-256 of the payload in hex, where that is not the whole block. */
  payloadHash?: string;
  /** `<urn:uuid:…>` of the record that this one belongs to. */
  concurrentTo?: string;
}

/** Serialises a record; returns its bytes, uncompressed, and its id. */
export function warcRecord(record: WarcRecord): { id: string; bytes: Buffer } {
  const id = `<urn:uuid:${randomUUID()}>`;
  const { type, url, date, contentType, block, payloadHash, concurrentTo } = record;
  const fields = [
    "WARC/1.1",
    `WARC-Type: ${type}`,
    `WARC-Record-ID: ${id}`,
    `WARC-Date: ${date.toISOString()}`,
    ...(url === null ? ["WARC-Filename: data.warc.gz"] : [`WARC-Target-URI: ${oneLine(url)}`]),
    ...(concurrentTo === undefined ? [] : [`WARC-Concurrent-To: ${concurrentTo}`]),
    ...(payloadHash === undefined ? [] : [`WARC-Payload-Digest: sha256:${payloadHash}`]),
    `WARC-Block-Digest: sha256:${hashContent(block).toString("hex")}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${block.length}`,
  ];
  return { id, bytes: Buffer.concat([Buffer.from(`${fields.join("\r\n")}\r\n\r\n`), block, Buffer.from("\r\n\r\n")]) };
}

/** Headers that describe the bytes as transferred; the stored bytes have their codings removed. */
const ofTheWire = new Set(["content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"]);

/**
 * Writes an answer as HTTP text.
 * @param headers a header that came several times has a list
 */
export function httpResponse(status: number, headers: Readonly<Record<string, unknown>>, body: Buffer): Buffer {
  const lines = Object.entries(headers)
    .filter(([name]) => !ofTheWire.has(name.toLowerCase()) && /^[!#$%&'*+.^_`|~\w-]+$/.test(name))
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => `${name}: ${oneLine(String(one))}`),
    );
  const head = [`HTTP/1.1 ${status} ${reasons[status] ?? ""}`.trimEnd(), ...lines, `Content-Length: ${body.length}`];
  const text = `${head.join("\r\n")}\r\n\r\n`;
  // unchanged from how they came: each character of a received header is one byte
  return Buffer.concat([Buffer.from(text, isLatin1(text) ? "latin1" : "utf8"), body]);
}

function isLatin1(text: string): boolean {
  return !/[^\0-\xff]/.test(text);
}

/** Writes the request that an answer belongs to, without credentials and other headers of ours. */
export function httpRequest(url: string): Buffer {
  const { pathname, search, host } = new URL(url);
  return Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
}

const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
};

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, " ");
}

/**
 * Makes the key by which web archives are searched: reversed host, lower case, sorted parameters. The same as ReplayWeb.page makes
 * (wabac.js, `getSurt`).
 */
export function surt(url: string): string {
  const parsed = new URL(url.toLowerCase().replace(/^(https?:\/\/)www\d*\./, "$1"));
  const host = parsed.hostname.split(".").reverse().join(",");
  parsed.searchParams.sort();
  return `${host}${parsed.port === "" ? "" : `:${parsed.port}`})${parsed.pathname}${parsed.search}`;
}
