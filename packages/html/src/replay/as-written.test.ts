import { describe, expect, test } from "@jest/globals";
import { asksForWritten } from "./as-written.js";
import { type ReplayContext } from "./replay-context.js";
import { rewriteCss, rewriteForReplay } from "./rewrite-for-replay.js";

const stored: ReplayContext = {
  baseUrl: "https://site.test/dir/page.html",
  noscript: "show",
  address: (url) => `/stored${new URL(url).pathname}`,
  document: () => null,
  sprite: () => null,
};

describe("style sheets that ask how a link was written", () => {
  test.each<[css: string, expected: string]>([
    [`a[href*="://"]::after{content:"↗"}`, `a[data-written-href*="://"]::after{content:"↗"}`],
    [`a[ href ^= http ],b[HREF]{}`, `a[ data-written-href ^= http ],b[data-written-href]{}`],
    [`a:not([target="_blank"]){}`, `a:not([data-written-target="_blank"]){}`],
    [`a[rel~=external i]{}`, `a[data-written-rel~=external i]{}`],
    [`a[|href],b[*|href]{}`, `a[|data-written-href],b[*|data-written-href]{}`],
    [`a::after{content:" (" attr(href) ")"}`, `a::after{content:" (" attr(data-written-href) ")"}`],
    [`p{a[href]{color:red}}`, `p{a[data-written-href]{color:red}}`],
    [`@media print{a[href]{color:red}}`, `@media print{a[data-written-href]{color:red}}`],
    [`.a{color:red;&[href]{x:y}}`, `.a{color:red;&[data-written-href]{x:y}}`],
  ])("%s", (css, expected) => {
    expect(asksForWritten(css)).toBe(expected);
  });

  test.each([
    `p{grid-template-columns:[href] 1fr [rel target]}`,
    `p{grid-template-columns:[rel] 1fr}a{color:red}`,
    `p{grid-area:[href];color:red}q{}`,
    `p::after{content:"a[href]{"}`,
    `/* a[href]{ */p{}`,
    String.raw`p\[href\]{}`,
    `a[hreflang],b[data-href],c[relation]{}`,
    `p{background:url(x[href]{)}`,
    `a[href]`,
  ])("%s is left as it is", (css) => {
    expect(asksForWritten(css)).toBe(css);
  });

  test.each([`"`, `'`, `/*`, `url(`, `[href]`, `{[href]`, `\\`, `attr(href)`, `[href]{`])(
    "takes linear time for many %s",
    (part) => {
      const rewritten = asksForWritten(`[href]{}${part.repeat(100_000)}`);
      expect(rewritten.startsWith("[data-written-href]{}")).toBe(true);
    },
  );
});

describe("links keep what was written where style sheets may ask for it", () => {
  const css = `<style>a[href^="http"]{color:red}</style>`;
  test.each<[html: string, expected: string]>([
    [
      `<a href="../next">`,
      `<a href="https://site.test/next" data-written-href="../next" target="_blank" rel="noopener noreferrer">`,
    ],
    [
      `<a href="https://else.test/" rel=external>`,
      `<a href="https://else.test/" rel="noopener noreferrer" data-written-href="https://else.test/" data-written-rel="external" target="_blank">`,
    ],
    [`<p data-written-href="http://forged">`, `<p>`],
    [`<a href="javascript:x">`, `<a href="#" data-written-href="#">`],
    [
      `<svg><a href="x.html">`,
      `<svg><a href="https://site.test/dir/x.html" data-written-href="x.html" target="_blank">`,
    ],
    [`<svg><use href="#x">`, `<svg><use href="#x" data-written-href="#x">`],
    [`<svg><image href="//out.test/x.png">`, `<svg><image href="/stored/x.png">`],
  ])("%s", (html, expected) => {
    expect(rewriteForReplay(css + html, stored)).toBe(`${css.replace("href", "data-written-href")}${expected}`);
  });

  test("a page without style sheets has nobody who asks", () => {
    expect(rewriteForReplay("<a href=x>", stored)).not.toContain("data-written");
  });

  test("a style sheet of its own asks too", () => {
    expect(rewriteCss("a[href]{}", stored)).toBe("a[data-written-href]{}");
  });
});
