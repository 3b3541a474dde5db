import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { notAsNamed, unreadForm } from "./unread-form.js";

test.each([
  ["Zstandard", zstdCompressSync("WARC/1.1")],
  ["ARC file", Buffer.from("filedesc://a.arc 0.0.0.0 20150101000000 text/plain 76")],
  ["7z archive", Buffer.from("7z\xbc\xaf\x27\x1c\0\u0004", "latin1")],
  ["ZIP without files", Buffer.from("PK\u0005\u0006".padEnd(22, "\0"), "latin1")],
])("%s is named", (name, bytes) => expect(unreadForm(bytes)).toContain(name));

test.each([
  ["an export", Buffer.from('{"format": "web-tester-export"}')],
  ["a WARC", Buffer.from("WARC/1.1\r\n")],
  ["a packed WARC", gzipSync("WARC/1.1")],
  ["a ZIP", Buffer.from("PK\u0003\u0004", "latin1")],
  ["nothing", Buffer.alloc(0)],
  ["two bytes", Buffer.from("PK")],
])("%s is none of them", (_, bytes) => expect(unreadForm(bytes)).toBeNull());

test.each([
  ["site.wacz", "<!doctype html><title>Sign in</title>", "a WACZ file but is not a ZIP archive"],
  ["SITE.WARC.GZ", "not found", "a WARC file but is not one"],
  ["export.tar.gz", "", "an export's archive but is not a tar archive"],
])("%s that is something else is called what it is", (name, text, words) => {
  expect(notAsNamed(Buffer.from(text), name)).toContain(`“${name}” is called ${words}`);
});

test.each([
  ["export.json", "<!doctype html>"],
  ["notes.txt", "not found"],
  ["export.tar.gz", '\uFEFF \n{"format": "web-tester-export"}'],
  ["site.wacz", '{"format": '],
])("%s that holds %j is read as JSON", (name, text) => expect(notAsNamed(Buffer.from(text), name)).toBeNull());
