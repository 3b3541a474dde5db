import { crc32, deflateRawSync } from "node:zlib";

/** Makes records of web archives (ISO 28500) and ZIP files as other programs write them. */

type Fields = Record<string, string>;

/**
 * Makes a record of a WARC file.
 * @param date as ISO 8601 @param more further fields of its header
 */
export function record(type: string, url: string, date: string, block: string | Buffer, more: Fields = {}): Buffer {
  const bytes = Buffer.from(block);
  const fields = { "WARC-Type": type, "WARC-Target-URI": url, "WARC-Date": date, ...more };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`WARC/1.0\r\n${lines.join("")}Content-Length: ${bytes.length}\r\n\r\n`),
    bytes,
    Buffer.from("\r\n\r\n"),
  ]);
}

/** Makes an HTTP answer, the content of a record of type `response`. */
export function http(body: string | Buffer, headers: Fields = {}, status = "200 OK"): Buffer {
  const lines = Object.entries({ "Content-Type": "text/html", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`), Buffer.from(body)]);
}

/** A page with words, which uses a style sheet. */
export const page = (words: string) =>
  `<!doctype html><title>Old</title><link rel=stylesheet href="/s.css"><p>${words}`;

/**
 * Makes a ZIP archive without the central directory at its end.
 * @param files by name
 */
export function zip(files: Record<string, Buffer>, { packed = false } = {}): Buffer {
  const parts = Object.entries(files).map(([name, bytes]) => {
    const body = packed ? deflateRawSync(bytes) : bytes;
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(packed ? 8 : 0, 8);
    head.writeUInt32LE(crc32(bytes), 14);
    head.writeUInt32LE(body.length, 18);
    head.writeUInt32LE(bytes.length, 22);
    head.writeUInt16LE(name.length, 26);
    return Buffer.concat([head, Buffer.from(name), body]);
  });
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  return Buffer.concat([...parts, end]);
}
