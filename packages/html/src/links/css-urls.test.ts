import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { mapCssUrls } from "./css-urls.js";

/** Lists each address as `kind:address`, in order. */
function listed(css: string): string[] {
  const found: string[] = [];
  mapCssUrls(css, (url, kind) => {
    found.push(`${kind}:${url}`);
    return null;
  });
  return found;
}

describe("which addresses a stylesheet has", () => {
  test.each<[css: string, found: string[]]>([
    ["p{background:url(a.png)}", ["image:a.png"]],
    ["p{background:url( 'a b.png' )}", ["image:a b.png"]],
    ['p{background:URL("a.png")}', ["image:a.png"]],
    ["p{background:u\\72l(a.png)}", ["image:a.png"]],
    ["p{background:url(a\\29 b.png)}", ["image:a)b.png"]],
    ["p{background:url(\\68ttp://x/)}", ["image:http://x/"]],
    ["p{background:url(a b.png)} q{background:url(c)}", ["image:c"]],
    ['p{background:url(a"b)} q{background:url(c)}', ["image:c"]],
    ["p{background:url(a.png", ["image:a.png"]],
    ['p{background:url("a.png', ["image:a.png"]],
    ["/* url(a) */ p{background:url(b)}", ["image:b"]],
    ["/* url(a)", []],
    ['p::before{content:"url(a)"}', []],
    ['p::before{content:"\\"url(a)"}', []],
    ['p{content:"broken\n;background:url(a)}', ["image:a"]],
    ['@import "a.css"; @import url(b.css) screen;', ["stylesheet:a.css", "stylesheet:b.css"]],
    ['@\\69mport "a.css";', ["stylesheet:a.css"]],
    ["@import/**/'a.css'", ["stylesheet:a.css"]],
    ["@import; p{background:url(a)}", ["image:a"]],
    [
      "@font-face{font-family:F;src:url(a.woff2) format('woff2'),local('x')} p{background:url(b)}",
      ["font:a.woff2", "image:b"],
    ],
    ["@media print{@font-face{src:url(a)}} p{background:url(b)}", ["font:a", "image:b"]],
    ["p{background:image-set('a.png' 1x, url(b.png) 2x)}", ["image:a.png", "image:b.png"]],
    ["p{background:-webkit-image-set(url('a.png') 1x)}", ["image:a.png"]],
    ["p{grid-area:curl(a)}", []],
    ["p{background:my-url(a)}", []],
    ["@namespace svg url(http://www.w3.org/2000/svg); p{background:url(a)}", ["image:a"]],
    ["@n\\61mespace url('http://www.w3.org/1999/xhtml') url(a); p{background:url(b)}", ["image:a", "image:b"]],
    ["p{@namespace} p{background:url(a)}", ["image:a"]],
    ["@namespace{p{background:url(a)}}", ["image:a"]],
    ["a{b:\\\n;c:url(a)}", ["image:a"]],
    ["\\\n\\\r\\", []],
    ["<!--url(a)--> p{b:url(c)}", ["image:a", "image:c"]],
    ["", []],
  ])("%s", (css, found) => {
    expect(listed(css)).toEqual(found);
  });
});

describe("replacing", () => {
  const to = (address: string) => (css: string) => mapCssUrls(css, () => address);

  test("leaves all other text as it is", () => {
    expect(to("/x.png")("p { background : url( a.png ) no-repeat } /* url(b) */")).toBe(
      'p { background : url("/x.png") no-repeat } /* url(b) */',
    );
    expect(to("/x.css")("@import 'a.css' layer(b);")).toBe('@import "/x.css" layer(b);');
    expect(to("/x.png")("p{background:url(a.png")).toBe('p{background:url("/x.png")');
  });

  test("writes nothing that ends the string or the element", () => {
    const written = to('a"b\\c\n</style>')("p{background:url(a)}");
    expect(written).not.toContain("</style");
    expect(listed(written)).toEqual(['image:a"b\\c\n</style>']);
  });

  test("whatever is replaced is found again, and nothing else", () => {
    const pieces = fc.constantFrom(
      "url(",
      ")",
      '"',
      "'",
      "\\",
      "a",
      "/*",
      "*/",
      "@import ",
      ";",
      "{",
      "}",
      "image-set(",
      "\n",
      " ",
      "u\\72l(",
      "(",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const css = parts.join("");
        const count = listed(css).length;
        const again = listed(mapCssUrls(css, () => "REPLACED"));
        expect(again).toHaveLength(count);
        expect(again.every((found) => found.endsWith(":REPLACED"))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ["open parentheses", "(".repeat(1_000_000)],
  ["openings of url", "url(".repeat(300_000)],
  ["comments", "/*".repeat(500_000)],
  ["quotes", `"\n`.repeat(500_000)],
  ["escapes", "\\".repeat(1_000_000)],
  ["long escapes", "\\000061".repeat(200_000)],
  ["imports", "@import ".repeat(150_000)],
])("a megabyte of %s is read in time that grows with its length", (_what, css) => {
  const timed = (text: string) => {
    const start = process.cpuUsage();
    listed(text);
    const { user } = process.cpuUsage(start);
    return user;
  };
  timed(css.slice(0, css.length / 4));
  // generous: quadratic time would be sixteen-fold and minutes long
  expect(timed(css)).toBeLessThan(Math.max(4_000_000, 10 * timed(css.slice(0, css.length / 4))));
});
