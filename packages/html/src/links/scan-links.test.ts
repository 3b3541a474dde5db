import { describe, expect, test } from "@jest/globals";
import { scanLinks } from "./scan-links.js";

function hrefs(html: string): string[] {
  return scanLinks(html).links.map(({ href }) => href);
}

test("finds every kind of link, in the order of the page", () => {
  const html = `<!DOCTYPE html><html><head><link rel="canonical" href="/c"><link rel=next href=/n><link rel="Prev nofollow" href=/p>
    <link rel=alternate hreflang=de href=/de><meta http-equiv=refresh content="5; url=/r"></head>
    <body><a href="/a">x</a><map><area href=/area></map><iframe src=/i></iframe><svg><a xlink:href="/s"><text>t</text></a></svg></body></html>`;
  expect(scanLinks(html).links).toEqual([
    { href: "/c", kind: "canonical" },
    { href: "/n", kind: "next" },
    { href: "/p", kind: "prev" },
    { href: "/de", kind: "alternate" },
    { href: "/r", kind: "refresh" },
    { href: "/a", kind: "a" },
    { href: "/area", kind: "area" },
    { href: "/i", kind: "iframe" },
    { href: "/s", kind: "a" },
  ]);
  expect(scanLinks("<frameset><frame src=/f></frameset>").links).toEqual([{ href: "/f", kind: "frame" }]);
});

test.each([
  ["a stylesheet", "<link rel=stylesheet href=/x>"],
  ["an alternate stylesheet", "<link rel='alternate stylesheet' href=/x>"],
  ["a feed", "<link rel=alternate type='application/rss+xml' href=/x>"],
  ["an icon", "<link rel=icon href=/x>"],
  ["no address", "<a name=x>y</a>"],
  ["an empty address", "<a href='  '>y</a>"],
  ["a comment", "<!-- <a href=/x> -->"],
  ["a bogus comment", "<! <a href=/x>"],
  ["a script", "<script>'<a href=/x>'</script>"],
  ["a script's hidden script", "<script><!-- <script></script> <a href=/x> --></script>"],
  ["a style sheet", "<style><a href=/x></style>"],
  ["a text area", "<textarea><a href=/x></textarea>"],
  ["a title", "<title><a href=/x></title>"],
  [
    "old fallbacks",
    "<noframes><a href=/x></noframes><noembed><a href=/x></noembed><iframe><a href=/x></iframe><xmp><a href=/x></xmp>",
  ],
  ["plain text", "<plaintext><a href=/x>"],
  ["a template", "<template><a href=/x></template>"],
  ["a tag that never ends", "<a href=/x"],
  ["a value that never ends", "<a href='/x>y</a>"],
  ["CDATA in a drawing", "<svg><![CDATA[<a href=/x>]]></svg>"],
  ["a link element in a drawing", "<svg><link rel=next href=/x></svg>"],
  ["formulas behind an empty drawing", "<svg/><math></svg><a href=/x>"],
  ["a frame outside a frameset", "<body><frame src=/x>"],
  ["a second href", "<a id=a href='' href=/x>"],
  ["a refresh without an address", "<meta http-equiv=refresh content=30>"],
  ["a letter that only looks like one", "<\u212Ba href=/x><lin\u212A rel=next href=/x>"],
])("finds no link in %s", (_, html) => {
  expect(hrefs(html)).toEqual([]);
  expect(hrefs(`<p>text</p><a href=/control>${html}`)).toEqual(["/control"]);
});

test.each([
  ["after a script's escape", "<script><!-- --></script><a href=/x>"],
  ["after a script that hides one", "<script><!--<script></script>--></script><a href=/x>"],
  ["after a comment that ends at once", "<!--><a href=/x>"],
  ["after a comment with a bang", "<!-- --!><a href=/x>"],
  ["in noscript", "<noscript><a href=/x></noscript>"],
  ["in noscript of the head", "<head><noscript><link rel=next href=/x></noscript>"],
  ["in a declarative shadow root", "<div><template shadowrootmode=open><a href=/x></template></div>"],
  ["behind a template", "<template><template></template><a href=/y></template><a href=/x>"],
  ["behind a drawing that is not closed", "<div><svg><path></div><style></style><a href=/x>"],
  ["in a foreign object", "<svg><foreignObject><div><a href=/x></a></div></foreignObject></svg>"],
  ["with a tag inside a value", "<a title='a>b' href=/x>"],
  ["with upper case", "<A HREF=/x>"],
  ["with newlines", "<a\n href\n =\n '\n/x\n'\n>"],
  ["with slashes for spaces", "<a/class='b'/href=/x>"],
  ["with a stray equals sign", "<a =b href=/x>"],
  ["with a stray quote", '<a " href=/x>'],
  ["the first of two", "<a href=/x href=/y>"],
])("finds the link %s", (_, html) => {
  expect(hrefs(html)).toEqual(["/x"]);
});

test.each([
  ["/a?b=1&amp;c=2", "/a?b=1&c=2"],
  ["/a?b=1&c=2", "/a?b=1&c=2"],
  ["/a?x=1&copy=2", "/a?x=1&copy=2"],
  ["/a?x=1&copy;", "/a?x=1©"],
  ["/&#x61;&#98;", "/ab"],
  ["/&auml", "/ä"],
  ["/a\0b", "/a\uFFFDb"],
  ["\n /a \t", "/a"],
  ["\u00A0/a", "\u00A0/a"],
])("reads the address %j", (written, href) => {
  expect(hrefs(`<a href="${written}">`)).toEqual([href]);
});

describe("the page", () => {
  test.each([
    ["the first base that has an address", "<base target=_top><base href=/a/><base href=/b/>", "/a/"],
    ["no base", "<p>", null],
    ["no base in a template", "<template><base href=/a/></template>", null],
    ["no base in a drawing", "<svg><base href=/a/></svg>", null],
  ])("has %s", (_, html, baseHref) => {
    expect(scanLinks(html).baseHref).toBe(baseHref);
  });

  test.each([
    ["decoded and collapsed", "<title>\n A &amp;\t B </title>", "A & B"],
    ["the first", "<title>A</title><title>B</title>", "A"],
    ["not a drawing's", "<svg><title>S</title></svg><title>A</title>", "A"],
    ["without tags", "<title><b>A</b></title>", "<b>A</b>"],
    ["none", "<p>", null],
    ["empty", "<title> </title>", null],
    ["never ended", "<title>A", "A"],
    ["at most 300 characters", `<title>${"ä".repeat(500)}</title>`, "ä".repeat(300)],
    ["no half characters", `<title>${"x".repeat(299)}😀😀</title>`, `${"x".repeat(299)}`],
  ])("has a title: %s", (_, html, title) => {
    expect(scanLinks(html).title).toBe(title);
  });

  test("says what else it says", () => {
    expect(scanLinks("<link rel=canonical href=/a><link rel=canonical href=/b>").canonical).toBe("/a");
    expect(scanLinks("<meta charset=latin1>").metaCharset).toBe("latin1");
    expect(scanLinks("<meta http-equiv=content-type content='text/html; charset=\"x\"'>").metaCharset).toBe("x");
    expect(scanLinks("<meta name=Robots content='noindex, NOFOLLOW'>").nofollow).toBe(true);
    expect(scanLinks("<meta name=robots content=none>").nofollow).toBe(true);
    expect(scanLinks("<meta name=robots content='noindex,follow'>").nofollow).toBe(false);
    expect(scanLinks("")).toEqual({
      links: [],
      baseHref: null,
      title: null,
      canonical: null,
      robots: null,
      metaCharset: null,
      refresh: null,
      nofollow: false,
    });
  });
});

// Each of these would take minutes where the scanner's time is not linear.
test.each([
  ["nested elements", "<div>".repeat(100_000)],
  ["nested links", "<a href=/x>".repeat(100_000)],
  ["nested drawings", "<svg><g>".repeat(100_000) + "</x>".repeat(100_000)],
  ["nested foreign objects", "<svg><foreignObject><div>".repeat(50_000) + "</g></x>".repeat(50_000)],
  ["nested templates", "<template>".repeat(100_000) + "</template>".repeat(100_000)],
  ["nested tables and selects", "<table><select>".repeat(50_000)],
  ["nested framesets", "<frameset>".repeat(100_000)],
  ["a long value", `<a href="${"x".repeat(1_000_000)}">`],
  ["a long value of references", `<a href="${"&amp;".repeat(200_000)}">`],
  ["a long name", `<${"x".repeat(1_000_000)}>`],
  ["many attributes", `<a ${"b=c ".repeat(250_000)}>`],
  ["many empty attributes", `<a ${"= ".repeat(500_000)}>`],
  ["open quotes", "<a href='".repeat(100_000)],
  ["open comments", "<!--".repeat(250_000)],
  ["dashes in a comment", `<!--${"-".repeat(1_000_000)}`],
  ["open scripts", "<script>".repeat(100_000)],
  ["escaped scripts", `<script>${"<!-- <script>".repeat(100_000)}`],
  ["closed escapes", `<script>${"<!-- -->".repeat(100_000)}</script>`],
  ["many scripts before one comment", `${"<script></script>".repeat(50_000)}<!--`],
  ["end tags that never match", `<title>${"</titl>".repeat(100_000)}`],
  ["many titles", "<title>x</title>".repeat(100_000)],
  ["less-than signs", "<".repeat(1_000_000)],
  ["slashes", "</".repeat(500_000)],
  ["NULs", "\0".repeat(1_000_000)],
  ["CDATA", `<svg>${"<![CDATA[".repeat(100_000)}`],
  ["white space", `<a${" ".repeat(1_000_000)}href=${" ".repeat(1_000_000)}x>`],
  ["white space in a title", `<title>${" ".repeat(1_000_000)}x</title>`],
  [
    "white space in a refresh",
    `<meta http-equiv=refresh content="1${" ".repeat(500_000)};${" ".repeat(500_000)}url=x">`,
  ],
  ["white space in rel", `<link rel="${" ".repeat(500_000)}" href=x>`],
  ["white space in a robots rule", `<meta name=robots content="${" ".repeat(500_000)}x">`],
])("survives %s", (_, html) => {
  const found = hrefs(`<a href=/x>y</a>${html}`);
  expect(found[0]).toBe("/x");
  expect(found.length).toBeLessThanOrEqual(100_001);
});
