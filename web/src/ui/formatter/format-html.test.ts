import { describe, expect, test } from "@jest/globals";
import { formatHtml } from "./format-html.js";

describe("formatting HTML", () => {
  test.each([
    ["", ""],
    ["plain text", "plain text"],
    ["<div><p>one</p><p>two</p></div>", "<div>\n  <p>one</p>\n  <p>two</p>\n</div>"],
    ["<ul><li>a<li>b</ul>", "<ul>\n  <li>a\n  <li>b\n</ul>"],
    ["<div><pre>\n a\n   b</pre></div>", "<div>\n  <pre>\n a\n   b</pre>\n</div>"],
  ])("%j", (html, formatted) => {
    expect(formatHtml(html)).toBe(formatted);
  });

  test("leaves scripts and styles as they are", () => {
    const html = "<script>if(a){b( )}</script><style>a{b:c;d:e}</style>";
    expect(formatHtml(html)).toContain("if(a){b( )}");
    expect(formatHtml(html)).toContain("a{b:c;d:e}");
  });

  test("broken HTML is formatted as far as it goes, and nothing of it is lost", () => {
    const html = `<div <p class="a>x</p></div></b>&lt;<!-- open`;
    const bare = (text: string) => text.replaceAll(/\s/g, "");
    expect(bare(formatHtml(html))).toBe(bare(html));
  });

  test("what is formatted stays as it is", () => {
    const once = formatHtml("<html><body><main><h1>a</h1><p>b <b>c</b></p></main></body></html>");
    expect(formatHtml(once)).toBe(once);
  });
});
