import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { decodeAs } from "./decode-as.js";
import { encodeQuery } from "./encode-query.js";

// the value of `a.href` in Chromium 153, in a page of that charset
test.each([
  ["windows-1252", "/é?q=é€#é", "/é?q=%E9%80#é"],
  ["windows-1252", "/s?q=ж&r=😀", "/s?q=%26%231078%3B&r=%26%23128512%3B"],
  ["windows-1251", "?q=жук", "?q=%E6%F3%EA"],
  ["koi8-r", "?q=жук", "?q=%D6%D5%CB"],
  ["iso-8859-2", "?q=łódź", "?q=%B3%F3d%BC"],
  ["shift_jis", "?q=アー日本ｱ", "?q=%83A%81[%93%FA%96{%B1"],
  ["euc-jp", "?q=日本ｱ", "?q=%C6%FC%CB%DC%8E%B1"],
  ["gbk", "?q=中文€", "?q=%D6%D0%CE%C4%80"],
  ["big5", "?q=中文十", "?q=%A4%A4%A4%E5%A4Q"],
  ["euc-kr", "?q=한국", "?q=%C7%D1%B1%B9"],
  ["utf-8", "?q=é", "?q=é"],
  ["utf-16le", "?q=é", "?q=é"],
  [null, "?q=é", "?q=é"],
  ["windows-1252", "/é", "/é"],
  ["windows-1252", "#?é", "#?é"],
  ["windows-1252", "/a?b=%C3%A9&c=d", "/a?b=%C3%A9&c=d"],
])("in a page in %s, %s is the link %s", (charset, href, link) => {
  expect(encodeQuery(href, charset)).toBe(link);
});

test.each(["windows-1252", "shift_jis", "euc-jp", "gbk", "big5", "euc-kr", "koi8-u"])(
  "bytes of %s say the letters that were written, or their numbers",
  (charset) => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const written = text.replaceAll(/[?#%&;]/g, "");
        const query = encodeQuery(`?${written}`, charset).slice(1);
        const bytes = Buffer.from(unescape(query), "latin1");
        const read = decodeAs(bytes, charset).replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
        expect(read).toBe(written);
      }),
    );
  },
);
