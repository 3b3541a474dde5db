import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parse, type DefaultTreeAdapterTypes } from "parse5";
import { listPageAssets } from "./list-assets.js";
import type { ReplayContext } from "./replay-context.js";
import { rewriteCss, rewriteForReplay } from "./rewrite-for-replay.js";

const baseUrl = "https://site.test/dir/page.html";

/** A lookup in which every asset is stored, under its path. */
const stored: ReplayContext = {
  baseUrl,
  noscript: "show",
  address: (url) => `/stored${new URL(url).pathname}`,
  document: () => ({ html: "<!doctype html><p>framed<img src=in.png>", baseUrl: "https://site.test/frames/f.html" }),
  sprite: () =>
    `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><symbol id="s"><use href="#t"/></symbol></svg>`,
};
const missing: ReplayContext = { ...stored, address: () => null, document: () => null, sprite: () => null };

describe("assets get the addresses of their copies", () => {
  test.each<[html: string, expected: string]>([
    [`<img src="a.png" alt=x>`, `<img src="/stored/dir/a.png" alt="x">`],
    [`<IMG SRC='/a.png?x=1#f'>`, `<img src="/stored/a.png#f">`],
    [`<img srcset="a.png 1x, /b.png 2x">`, `<img srcset="/stored/dir/a.png 1x, /stored/b.png 2x">`],
    [
      `<picture><source srcset=a.png type=image/png></picture>`,
      `<picture><source srcset="/stored/dir/a.png" type="image/png"></picture>`,
    ],
    [`<link rel="Shortcut ICON" href=/f.ico>`, `<link rel="Shortcut ICON" href="/stored/f.ico">`],
    [`<link rel=stylesheet href=a.css integrity=x crossorigin>`, `<link rel="stylesheet" href="/stored/dir/a.css">`],
    [
      `<link rel=preload as=style href=a.css onload="this.rel='stylesheet'">`,
      `<link rel="stylesheet" as="style" href="/stored/dir/a.css">`,
    ],
    [
      `<link rel=stylesheet media=print href=a.css onload="this.media='all'">`,
      `<link rel="stylesheet" media="all" href="/stored/dir/a.css">`,
    ],
    [
      `<link rel=stylesheet media=none href=a.css onload="if(media!='all')media='all'">`,
      `<link rel="stylesheet" media="all" href="/stored/dir/a.css">`,
    ],
    [
      `<link rel="alternate stylesheet" href=a.css onload="this.rel = 'stylesheet'">`,
      `<link rel="stylesheet" href="/stored/dir/a.css">`,
    ],
    // nothing switches these on
    [
      `<link rel=stylesheet media=none href=a.css><link rel="alternate stylesheet" href=a.css onload="note(this)">`,
      `<link rel="stylesheet" media="none" href="/stored/dir/a.css"><link rel="alternate stylesheet" href="/stored/dir/a.css">`,
    ],
    [`<style>p{background:url(a.png)}</style>`, `<style>p{background:url("/stored/dir/a.png")}</style>`],
    [
      `<style>:not(:defined){display:none} x-a:Defined > p{grid-area:defined;} b{color:red:defined}</style>`,
      `<style>:not(:nth-child(n)){display:none} x-a:nth-child(n) > p{grid-area:defined;} b{color:red:defined}</style>`,
    ],
    [
      `<x-a><template shadowrootmode="open"><style>:host(:not(:defined)) p{color:red}</style></template></x-a>`,
      `<x-a><template shadowrootmode="open"><style>:host(:not(:nth-child(n))) p{color:red}</style></template></x-a>`,
    ],
    [
      `<x-a data-custom-states="on"></x-a><style>x-a:state( on ),:host(:state(on-now)){color:red}</style>`,
      `<x-a data-custom-states="on"></x-a><style>x-a[data-custom-states~="on"],:host([data-custom-states~="on-now"]){color:red}</style>`,
    ],
    [
      `<link rel=stylesheet media=screen type=text/css href="data:text/css;charset=utf-8,p%7bcolor:r%65d%7Db{background:url(https://site.test/a.png)}i{background:url(a.png)}#end">x`,
      `<style media="screen">p{color:red}b{background:url("/stored/a.png")}i{background:url("about:invalid")}</style>x`,
    ],
    [`<link rel=stylesheet href="data:text/css;base64,PC9zdHlsZT48Yj57fQ==">`, `<style><\\/style><b>{}</style>`],
    [
      `<iframe src="data:text/html,%3C!doctype html%3E%3Cp%3EHere%3Cimg src=/a.png%3E"></iframe>`,
      `<iframe sandbox srcdoc="&lt;!doctype html&gt;&lt;p&gt;Here&lt;img src=&quot;data:,&quot;&gt;"></iframe>`,
    ],
    [`<link rel=stylesheet href="data:text/plain,p{}">`, `<link rel="stylesheet">`],
    [
      `<link rel="alternate stylesheet" title=x href="data:text/css,p{}">`,
      `<link rel="alternate stylesheet" title="x">`,
    ],
    [
      `<style>@namespace url("http://www.w3.org/1999/xhtml"); p{color:red}</style>`,
      `<style>@namespace url("http://www.w3.org/1999/xhtml"); p{color:red}</style>`,
    ],
    [`<p style="background:url(a.png)">`, `<p style="background:url(&quot;/stored/dir/a.png&quot;)">`],
    [
      `<video src=a.mp4 poster=p.png autoplay controls></video>`,
      `<video src="/stored/dir/a.mp4" poster="/stored/dir/p.png" controls></video>`,
    ],
    [
      `<video src=a.mp4></video>x`,
      `<video src="/stored/dir/a.mp4"></video>x<style>video:not([controls])::-webkit-media-controls{display:none!important}</style>`,
    ],
    [`<body background=b.png>`, `<body background="/stored/dir/b.png">`],
    [
      `<img data-src=late.png class="lazyload x">`,
      `<img data-src="late.png" class="lazyloaded x" src="/stored/dir/late.png">`,
    ],
    [`<img src=a.png loading=lazy>`, `<img src="/stored/dir/a.png">`],
    [`<svg><image href=a.png /></svg>`, `<svg><image href="/stored/dir/a.png" /></svg>`],
    [`<svg><rect fill="url(#g)"/></svg>`, `<svg><rect fill="url(#g)"/></svg>`],
    [`<base href="/other/"><img src=a.png>`, `<base><img src="/stored/other/a.png">`],
    [
      `<object data=in.html width=9>x</object><embed type=text/html src=in.html><object data=in.swf>z</object>`,
      `<iframe sandbox frameborder="0" width="9" srcdoc="&lt;!doctype html&gt;&lt;p&gt;framed&lt;img src=&quot;/stored/frames/in.png&quot;&gt;"></iframe><object width="9" hidden>x</object><iframe sandbox frameborder="0" srcdoc="&lt;!doctype html&gt;&lt;p&gt;framed&lt;img src=&quot;/stored/frames/in.png&quot;&gt;"></iframe><embed type="text/html" hidden><object>z</object>`,
    ],
    [
      `<object data=pic.svg type=image/svg+xml width=9>x</object>`,
      `<img src="/stored/dir/pic.svg" width="9"><object type="image/svg+xml" width="9" hidden>x</object>`,
    ],
    [`<p>unchanged &amp; <b CLASS=x>as it is</b>`, `<p>unchanged &amp; <b CLASS=x>as it is</b>`],
  ])("%s", (html, expected) => {
    expect(rewriteForReplay(html, stored)).toBe(expected);
  });

  test("frames become documents of their own, to a depth", () => {
    const html = rewriteForReplay(`<iframe src=f.html></iframe>`, stored);
    expect(html).toBe(
      `<iframe sandbox srcdoc="&lt;!doctype html&gt;&lt;p&gt;framed&lt;img src=&quot;/stored/frames/in.png&quot;&gt;"></iframe>`,
    );
    const endless: ReplayContext = { ...stored, document: () => ({ html: `<iframe src=x></iframe>`, baseUrl }) };
    expect(rewriteForReplay(`<iframe src=x></iframe>`, endless).match(/srcdoc/g)).toHaveLength(3);
  });

  test("parts of other SVG files come into the page", () => {
    const html = rewriteForReplay(`<svg><use href="icons.svg#s"/></svg>`, stored);
    expect(html).toContain(`<use href="#sprite-0-0-s" />`);
    expect(html).toContain(`<symbol id="sprite-0-0-s"><use href="#sprite-0-0-t" /></symbol>`);
  });
});

describe("what is missing asks nobody", () => {
  test.each<[html: string, expected: string]>([
    [`<img src=a.png>`, `<img src="data:,">`],
    [`<img srcset="a.png 2x">`, `<img>`],
    [`<link rel=stylesheet href=a.css>`, `<link rel="stylesheet">`],
    [`<p style="background:url(a.png)">`, `<p style="background:url(&quot;about:invalid&quot;)">`],
    [`<iframe src=f.html></iframe>`, `<iframe sandbox></iframe>`],
    [`<video src=a.mp4 controls></video>`, `<video controls></video>`],
  ])("%s", (html, expected) => {
    expect(rewriteForReplay(html, missing)).toBe(expected);
  });
});

describe("what would run, navigate or fetch is gone", () => {
  test.each<[html: string, expected: string]>([
    [`<script src=a.js>x</script>`, `<script type="text/plain"></script>`],
    [`<p onclick=x ONLOAD=y>`, `<p>`],
    [
      `<a href="javascript:x">`,
      `<a href="#" target="_blank" rel="noopener noreferrer">`.replace(
        ` target="_blank" rel="noopener noreferrer"`,
        "",
      ),
    ],
    [
      `<a href="/next" target=_top ping=/p>`,
      `<a href="https://site.test/next" target="_blank" rel="noopener noreferrer">`,
    ],
    [`<a href="#part">`, `<a href="#part">`],
    [`<form action=/x><button formaction=/y>`, `<form><button>`],
    [`<meta http-equiv=refresh content="0;url=/x">`, `<meta>`],
    [`<meta http-equiv=Content-Security-Policy content="img-src 'none'">`, `<meta>`],
    [`<meta charset=shift_jis>`, `<meta charset="utf-8">`],
    [`<link rel=prefetch href=/x>`, `<link rel="prefetch">`],
    [`<link rel=dns-prefetch href=//x>`, `<link rel="dns-prefetch">`],
    [`<svg><script>x</script></svg>`, `<svg><metadata>x</metadata></svg>`],
    [`<svg><set attributeName=href to="javascript:x"/></svg>`, `<svg><set attributename="href" /></svg>`],
    [`<img width=1 height=1 src=https://count.test/>`, `<img width="1" height="1" src="data:,">`],
    [`<p>cut off in a tag <img src=x onerror=`, `<p>cut off in a tag `],
    [`<style>p{}`, `<style>p{}</style>`],
  ])("%s", (html, expected) => {
    expect(rewriteForReplay(html, stored)).toBe(expected);
  });

  test("noscript is shown in a frame whose sandbox lets no script run, and hidden in others", () => {
    const document = () => ({ html: `<!doctype html><noscript>Without scripts</noscript>`, baseUrl });
    const shown = (attributes: string, noscript: "show" | "hide") =>
      rewriteForReplay(`<iframe ${attributes} src=f.html></iframe>`, { ...stored, document, noscript });
    const isSeen = (html: string) => html.includes("&lt;noscript&gt;Without");
    for (const noscript of ["show", "hide"] as const) {
      for (const still of ["sandbox", `sandbox=""`, `sandbox="allow-same-origin allow-forms"`])
        expect(isSeen(shown(still, noscript))).toBe(true);
      for (const running of ["", `sandbox="allow-forms ALLOW-scripts"`])
        expect(isSeen(shown(running, noscript))).toBe(false);
    }
    // what is in such a frame runs none either
    const inner = `<iframe sandbox srcdoc="<iframe src=f.html></iframe>"></iframe>`;
    expect(rewriteForReplay(inner, { ...stored, document })).toContain("&amp;lt;noscript&amp;gt;Without");
  });

  test("noscript is shown where scripts did not run, and hidden where they did", () => {
    const html = `<noscript><link rel=stylesheet href=/a.css></noscript>`;
    expect(rewriteForReplay(html, stored)).toMatch(/^<noscript><link .*<\/noscript>$/);
    expect(rewriteForReplay(html, { ...stored, noscript: "hide" })).toMatch(/^<template><link .*<\/template>$/);
    const late = `<img data-src=/a.png>\n <noscript><img src=/a.png></noscript><p></noscript>`;
    expect(rewriteForReplay(late, stored)).toBe(
      `<img data-src="/a.png" src="/stored/a.png">\n <template><img src="data:,"></template><p></noscript>`,
    );
    // an image that is visible without scripts, or stands elsewhere, is a different picture
    for (const before of ["<img src=/b.png>", "<img data-src=/b.png><p>"])
      expect(rewriteForReplay(`${before}<noscript><img src=/a.png></noscript>`, stored)).toContain(
        `<noscript><img src="/stored/a.png"></noscript>`,
      );
    const pictures = `<noscript><img src=/a.png><p style="background:url(/b.png)"></noscript><img src=/c.png>`;
    expect(listPageAssets(pictures, baseUrl, "hide").map(({ url }) => new URL(url).pathname)).toEqual(["/c.png"]);
    expect(listPageAssets(pictures, baseUrl, "show")).toHaveLength(3);
  });

  test("style sheets that ask whether scripts run hear that they do", () => {
    const sheet =
      "@media (scripting){a{}} @media screen and ( SCRIPTING : none ){b{}} @media not (scripting:enabled){c{}}";
    expect(rewriteCss(sheet, { baseUrl, address: () => null })).toBe(
      "@media (min-width:0){a{}} @media screen and (max-width:0){b{}} @media not (min-width:0){c{}}",
    );
    expect(rewriteForReplay(`<style media="(scripting: initial-only)">p{}</style>`, stored)).toBe(
      `<style media="(max-width:0)">p{}</style>`,
    );
  });

  test("a page that has a dark form, too, is shown in the light one that was seen, whatever its reader prefers", () => {
    const sheet =
      "@media (prefers-color-scheme){a{}} @media ( Prefers-Color-Scheme : DARK ) and (width>9px){b{}} @import 'x' not (prefers-color-scheme:light);";
    expect(rewriteCss(sheet, { baseUrl, address: () => null })).toBe(
      '@media (min-width:0){a{}} @media (max-width:0) and (width>9px){b{}} @import "about:invalid" not (min-width:0);',
    );
    const schemes = ":root{color-scheme:dark light}a{color-scheme: only dark;--color-scheme:light dark}";
    expect(rewriteCss(schemes, { baseUrl, address: () => null })).toBe(
      ":root{color-scheme:light}a{color-scheme: only dark;--color-scheme:light dark}",
    );
    expect(
      rewriteForReplay(`<meta name=color-scheme content="light dark"><p style="color-scheme:light dark">`, stored),
    ).toBe(`<meta name="color-scheme" content="light"><p style="color-scheme:light">`);
    expect(rewriteForReplay(`<style media="(prefers-color-scheme: dark)">p{}</style>`, stored)).toBe(
      `<style media="(max-width:0)">p{}</style>`,
    );
  });

  test.each([
    [`cols="20%,*"`, "20% minmax(0, 1fr)", "minmax(0, 1fr)", null],
    [`rows="100, 2*,,50" border=0`, "minmax(0, 1fr)", "100px minmax(0, 2fr) minmax(0, 1fr) 50px", 0],
    [`cols="30%,50%" rows=*,* frameborder=NO`, "minmax(0, 30fr) minmax(0, 50fr)", "minmax(0, 1fr) minmax(0, 1fr)", 0],
    [`cols="200,400" border=3`, "minmax(0, 200fr) minmax(0, 400fr)", "minmax(0, 1fr)", 3],
    [
      `cols="0*,x;}" rows=",,"`,
      "minmax(0, 0.01fr) minmax(0, 1fr)",
      "minmax(0, 1fr) minmax(0, 1fr) minmax(0, 1fr)",
      null,
    ],
  ])("frames have the sizes that <frameset %s> gives them", (attributes, columns, rows, gap) => {
    const shown = rewriteForReplay(`<frameset ${attributes}><frame></frameset>`, stored);
    const border = gap === null ? "" : `--frameset-border: ${gap}px; `;
    expect(shown).toContain(
      `grid-template-columns: ${columns}; grid-template-rows: ${rows}; ${border}gap: var(--frameset-border, 6px);`,
    );
    expect(shown).toMatch(/<iframe [^>]*height: 100%.*<\/iframe><\/div><style>body>\[data-frameset\]/);
  });

  test("what a page says to those without scripts is not shown, as no browser shows it", () => {
    const notice = `<noscript><div>JavaScript is disabled on <a href=#help>your browser</a>.</div></noscript>`;
    expect(rewriteForReplay(`${notice}<p>text</p><noscript>`, stored)).toBe(
      `<template><div>JavaScript is disabled on <a href=#help>your browser</a>.</div></template><p>text</p><noscript>`,
    );
    // content that replaces what scripts show, and a whole page for browsers without scripts, is shown
    for (const shown of [`<p style="color: red">x`, "<picture>", "<style>p{}</style>", "<p>long</p>".repeat(200)])
      expect(rewriteForReplay(`<noscript>${shown}</noscript>`, stored)).toMatch(/^<noscript>.*<\/noscript>$/);
  });
});

test("what is listed is what is replaced", () => {
  const html = `<link rel=stylesheet href=a.css><img src=i.png srcset="i.png 1x, j.png 2x"><iframe src=f.html></iframe>
    <svg><use href="s.svg#x"/></svg><style>@font-face{src:url(f.woff2),url(f.eot)}</style><img src="data:,"><script src=x.js></script>`;
  expect(listPageAssets(html, baseUrl, "show").map(({ url, kind }) => `${kind} ${new URL(url).pathname}`)).toEqual([
    "stylesheet /dir/a.css",
    "image /dir/i.png",
    "image /dir/j.png",
    "document /dir/f.html",
    "sprite /dir/s.svg",
    "font /dir/f.woff2",
    "script /dir/x.js",
  ]);
});

test.each(
  "a b body button code div em embed frame iframe image img input li link noscript object option p select source span svg table td template textarea tr unknown video x-own".split(
    " ",
  ),
)("what an element %s may name is listed, whatever it is called", (name) => {
  const attributes = [
    "",
    "style='background:url(a.png)'",
    "STYLE='background:url(b.png)'",
    "background=c.png",
    "data-bg=d.png",
    "Data-Background-Image=e.png",
    "src=f.png srcset='g.png 2x' poster=h.png data=i.png href=j.png rel=icon",
  ];
  const html = `<p>text${attributes.map((attribute) => `<${name} ${attribute}>x</${name}>`).join("")}<img src=last.png>`;
  const replaced = new Set<string>();
  const asked = (url: string) => {
    replaced.add(url);
    return null;
  };
  rewriteForReplay(html, { baseUrl, noscript: "show", address: asked, document: asked, sprite: asked });
  expect(listPageAssets(html, baseUrl, "show").map(({ url }) => url)).toEqual([...replaced]);
  expect(replaced.size).toBeGreaterThan(0);
});

test("scripts that a browser would load are listed", () => {
  const html = `<script src=a.js></script><script type=module src=b.js></script><script type="text/ecmascript" src=c.js></script>
    <script nomodule src=old.js></script><script type="application/json" src=d.json></script><script type=text/template src=t.html></script><noscript><script src=n.js></script></noscript>`;
  expect(listPageAssets(html, baseUrl, "hide").map(({ url }) => new URL(url).pathname)).toEqual([
    "/dir/a.js",
    "/dir/b.js",
    "/dir/c.js",
  ]);
});

/** Yields the elements of a page as a browser parses them. */
function* elementsOf(html: string): Generator<DefaultTreeAdapterTypes.Element> {
  const open: DefaultTreeAdapterTypes.ParentNode[] = [parse(html, { scriptingEnabled: false })];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("tagName" in node) yield node;
    if ("content" in node) open.push(node.content);
    open.push(...node.childNodes.filter((child) => "childNodes" in child));
  }
}

test.each([
  "<noscript><svg></noscript><plaintext><p onerror=x>",
  "<head><noscript><svg></noscript><style><p onerror=x>",
  "<noscript><p><noscript></noscript><math></noscript><style><p onerror=x>",
])("a noscript that a drawing in the head has ended is ended by nothing more: %s", (html) => {
  const handlers = [...elementsOf(rewriteForReplay(html, missing))].flatMap(({ attrs }) => attrs);
  expect(handlers).toEqual([]);
});

/** Whether CSS would load an address outside; an address in a string is plain text. */
function asksOutside(css: string): boolean {
  const parts = css.matchAll(/"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|(?<![\w-])url\(\s*["']?\/\/out/g);
  return [...parts].some(([part]) => part.startsWith("url("));
}

test("in no soup of tags a browser finds a handler, a script's address or an address outside", () => {
  const pieces = fc.constantFrom(
    ..."<p ,<img ,<svg>,</svg>,<math>,<style>,</style>,<script>,</script>,<title>,</title>,<textarea>,</textarea>,<!--,-->,<![CDATA[,]]>,<a ,<iframe ,</iframe>,<template>,</template>,<select>,</select>,<noscript>,</noscript>,<table>,<desc>,<mtext>,<plaintext>,>,\",',=, ,/,src=,href=,onerror=x ,javascript:x ,//out.test/x ,srcdoc=,&lt;,style=,url(//out.test/),x".split(
      ",",
    ),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      for (const element of elementsOf(rewriteForReplay(parts.join(""), missing)))
        for (const { name, value } of element.attrs) {
          expect(name.startsWith("on")).toBe(false);
          if (name === "src" || name === "srcset") expect(value).not.toContain("//out.test");
          if (name === "style") expect(asksOutside(value)).toBe(false);
          if (name === "href" || name === "src") expect(value.trim().toLowerCase()).not.toMatch(/^javascript:/);
        }
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ["nested elements", "<div>".repeat(200_000)],
  ["open tags", "<".repeat(1_000_000)],
  ["images", "<img src=a>".repeat(100_000)],
  ["srcdocs", `<iframe srcdoc="${"&lt;p&gt;".repeat(50_000)}"></iframe>`],
  ["svg", "<svg><g>".repeat(100_000)],
  ["bases", "<base href=x>".repeat(50_000)],
])("a page of %s takes time that grows with its length", (_what, html) => {
  const start = process.cpuUsage();
  rewriteForReplay(html, stored);
  // generous: quadratic time would be minutes
  expect(process.cpuUsage(start).user).toBeLessThan(8_000_000);
});
