import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { decodeHtml, sniffCharset } from "./decode.js";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
/** Longer than the first bytes in which a charset has to be declared. */
const filler = " ".repeat(1_030);

describe("charset", () => {
  test.each<[string, Buffer, string | null, string]>([
    ["nothing said, ASCII", latin1("<p>x"), null, "utf-8"],
    ["nothing said, UTF-8", Buffer.from("<p>ä"), null, "utf-8"],
    ["nothing said, not UTF-8", latin1("<p>\xe4"), null, "windows-1252"],
    ["nothing at all", Buffer.alloc(0), null, "utf-8"],
    ["header", latin1("<p>\xe4"), "text/html; charset=iso-8859-2", "iso-8859-2"],
    ["header, quoted and odd", latin1("<p>\xe4"), 'Text/HTML ; x=1; Charset = "LATIN1"', "windows-1252"],
    ["header, unknown", Buffer.from("<p>ä"), "text/html; charset=none", "utf-8"],
    ["header before meta", latin1("<meta charset=koi8-r>\xe4"), "text/html; charset=iso-8859-2", "iso-8859-2"],
    ["meta", latin1("<meta charset=koi8-r>\xe4"), "text/html", "koi8-r"],
    [
      "meta after other tags",
      latin1("<!DOCTYPE html><html lang='>'><head><title>x</title><meta name=a content=b><META CHARSET='Shift_JIS'>"),
      null,
      "shift_jis",
    ],
    [
      "meta http-equiv",
      latin1("<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>\xe4"),
      null,
      "windows-1251",
    ],
    [
      "meta content without http-equiv",
      latin1("<meta content='text/html; charset=windows-1251'>\xe4"),
      null,
      "windows-1252",
    ],
    ["meta in a comment", latin1("<!-- <meta charset=koi8-r> -->\xe4"), null, "windows-1252"],
    ["meta in a value", latin1("<p title='<meta charset=koi8-r>'>\xe4"), null, "windows-1252"],
    ["meta with an unknown label, then another", latin1("<meta charset=x><meta charset=koi8-r>\xe4"), null, "koi8-r"],
    ["meta that says UTF-16 in bytes", latin1("<meta charset=utf-16>ok"), null, "utf-8"],
    ["meta beyond the first 1,024 bytes", latin1(`${filler}<meta charset=koi8-r>\xe4`), null, "koi8-r"],
    [
      "meta late in a head",
      latin1(`<html><head><script>${filler}"<meta charset=big5>"</script><title><meta charset=big5></title>
        <meta name=x><LINK rel=icon><META http-equiv=content-type content="text/html; charset=Shift_JIS">\xe4`),
      null,
      "shift_jis",
    ],
    ["meta late in a comment", latin1(`<!-- ${filler}<meta charset=koi8-r> -->\xe4`), null, "windows-1252"],
    ["meta late in a body", latin1(`<title>x</title>${filler}<p>\xe4<meta charset=koi8-r>`), null, "windows-1252"],
    ["meta behind a head", latin1(`<head>${filler}</head><meta charset=koi8-r>\xe4`), null, "windows-1252"],
    ["meta late, header before it", latin1(`${filler}<meta charset=koi8-r>\xe4`), "text/html; charset=gbk", "gbk"],
    ["x-user-defined", latin1("<meta charset=x-user-defined>\xe4"), null, "windows-1252"],
    ["XML declaration", latin1('<?xml version="1.0" encoding="iso-8859-15"?><html>\xe4'), null, "iso-8859-15"],
    ["UTF-8 mark before header", Buffer.from("\uFEFFä"), "text/html; charset=iso-8859-1", "utf-8"],
    ["UTF-16LE mark", Buffer.from("\uFEFF<p>ä", "utf16le"), "text/html; charset=utf-8", "utf-16le"],
    ["UTF-16BE mark", Buffer.from("\uFEFF<p>ä", "utf16le").swap16(), null, "utf-16be"],
    ["UTF-16 without mark", Buffer.from("<html><p>ä", "utf16le"), null, "utf-16le"],
    ["UTF-16BE without mark", Buffer.from("<html><p>ä", "utf16le").swap16(), null, "utf-16be"],
  ])("%s", (_, bytes, contentType, charset) => {
    expect(sniffCharset(bytes, contentType).charset).toBe(charset);
  });
});

describe("wrong labels", () => {
  test("bytes that are not the UTF-8 they claim to be are read otherwise, and it is said", () => {
    const { text, charset, warning } = decodeHtml(latin1("<p>Stra\xdfe f\xfcr alle"), "text/html; charset=utf-8");
    expect([text, charset]).toEqual(["<p>Straße für alle", "windows-1252"]);
    expect(warning).toBe(
      "The server says the text is in UTF-8, but it is not. It was read as windows-1252; correct the label.",
    );
  });

  test("the other label is believed first", () => {
    expect(decodeHtml(latin1("<meta charset=iso-8859-2>\xb1\xb1"), "text/html; charset=utf-8")).toMatchObject({
      text: "<meta charset=iso-8859-2>ąą",
      charset: "iso-8859-2",
    });
  });

  test("one fault in good UTF-8 does not spoil the rest", () => {
    const { text, charset, warning } = decodeHtml(
      Buffer.concat([Buffer.from("<p>äöü"), latin1("\xff")]),
      "text/html; charset=utf-8",
    );
    expect([text, charset]).toEqual(["<p>äöü\uFFFD", "utf-8"]);
    expect(warning).toContain("1 place is not");
  });

  test("UTF-8 under another label is read as browsers read it, and it is said", () => {
    expect(decodeHtml(Buffer.from("ä"), "text/html; charset=latin1")).toEqual({
      text: "Ã¤",
      charset: "windows-1252",
      warning: expect.stringContaining("it is valid UTF-8"),
    });
  });

  test("an unknown label is named", () => {
    expect(sniffCharset(Buffer.from("x"), "text/html; charset=utf-7-or-so").warning).toContain('"utf-7-or-so"');
  });

  test("right labels cause no warning", () => {
    expect(sniffCharset(Buffer.from("ä"), "text/html; charset=utf-8").warning).toBeNull();
    expect(sniffCharset(latin1("\xe4"), "text/html; charset=latin1").warning).toBeNull();
    expect(sniffCharset(Buffer.from("a"), "text/html; charset=latin1").warning).toBeNull();
  });
});

test("a byte order mark is no text", () => {
  expect(decodeHtml(Buffer.from("\uFEFFx"), null).text).toBe("x");
});

test("never throws, whatever the bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.option(fc.string()), (bytes, contentType) => {
      expect(typeof decodeHtml(bytes, contentType === null ? null : `text/html; charset=${contentType}`).text).toBe(
        "string",
      );
    }),
  );
});

test.each([
  ["less-than signs", "<".repeat(1_000_000)],
  ["open metas", "<meta ".repeat(200_000)],
  ["one endless tag", `<meta ${"x".repeat(1_000_000)}`],
  ["spaces in a label", `<meta http-equiv=content-type content="charset${" ".repeat(1_000_000)}=x">`],
])("survives %s", (_, text) => {
  expect(sniffCharset(latin1(text), `text/html; charset${" ".repeat(60_000)}=${" ".repeat(60_000)}`).charset).toBe(
    "utf-8",
  );
});
