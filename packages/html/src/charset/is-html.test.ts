import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { looksBinary } from "./is-html.js";

const noise = Buffer.from(Array.from({ length: 2_000 }, (_, index) => (index * 7919) % 256));

describe("binary", () => {
  test.each<[string, Buffer]>([
    ["PNG", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
    ["JPEG", Buffer.from("ffd8ffe000104a464946", "hex")],
    ["GIF", Buffer.from("GIF89a...")],
    ["PDF", Buffer.from("%PDF-1.7\n%text follows")],
    ["ZIP", Buffer.from("504b030414000000", "hex")],
    ["gzip", gzipSync("<html>")],
    ["MP4", Buffer.from("000000206674797069736f6d", "hex")],
    ["WOFF2", Buffer.from("wOF2....")],
    ["WebAssembly", Buffer.from("0061736d01000000", "hex")],
    ["noise", noise],
    ["NULs", Buffer.alloc(100)],
    ["text with many controls", Buffer.from("ab\x01\x02".repeat(50))],
    ["markup that is mostly NULs", Buffer.concat([Buffer.from("<p>"), Buffer.alloc(100)])],
  ])("%s", (_, bytes) => {
    expect(looksBinary(bytes)).toBe(true);
  });
});

describe("text", () => {
  test.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["one letter", Buffer.from("a")],
    ["HTML", Buffer.from("<!DOCTYPE html><p>x")],
    ["UTF-16LE with mark", Buffer.from("\uFEFF<p>x", "utf16le")],
    ["UTF-16BE with mark", Buffer.from("\uFEFF<p>x", "utf16le").swap16()],
    ["UTF-16 without mark", Buffer.from("<html><body>x</body></html>", "utf16le")],
    ["UTF-16 Chinese with mark", Buffer.from("\uFEFF漢字漢字漢字", "utf16le")],
    ["ISO-2022-JP", Buffer.from("\x1b$B4A;z\x1b(B <p>\x1b$B4A\x1b(B")],
    ["Shift_JIS", Buffer.from("83658358836783658358836783658358", "hex")],
    ["windows-1252", Buffer.from("Stra\xdfe", "latin1")],
    ["a stray NUL", Buffer.from(`<p>${"text ".repeat(50)}\0</p>`)],
    ["words that begin like a signature", Buffer.from("BMW and MZ and PK are letters")],
    ["a page cut at a multi-byte character", Buffer.from("<p>ä").subarray(0, 4)],
  ])("%s", (_, bytes) => {
    expect(looksBinary(bytes)).toBe(false);
  });
});

test("looks at the bytes of the view it is given, not of the memory behind it", () => {
  const whole = Buffer.concat([Buffer.from("ffd8ff", "hex"), Buffer.from("<p>text")]);
  expect([looksBinary(whole), looksBinary(whole.subarray(3))]).toEqual([true, false]);
});
