import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { visibleText } from "../text/visible-text.js";
import { formattedForm, formattedLines } from "./formatted-form.js";

test.each([
  ["nothing", "", ""],
  ["blocks", "<ul><li><a href=/a>A</a></li><li>B</li></ul>", "<ul>\n<li><a href=/a>A</a></li>\n<li>B</li>\n</ul>\n"],
  ["paragraphs that nobody closed", "<p>a<p>b", "<p>a\n<p>b\n"],
  ["line breaks", "a<br>b<br/>c", "a\n<br>b\n<br />c\n"],
  ["elements in a sentence", "<p>One <b>two</b> three</p>", "<p>One\n<b>two</b>\nthree</p>\n"],
  ["no space where there was none", "un<b>like</b>ly", "un<b>like</b>ly\n"],
  ["neighbours without a space", "<a>a</a><a>b</a>", "<a>a</a\n><a>b</a>\n"],
  ["pictures without a space", '<img src="a"><img src=b/>', '<img src="a"\n><img src=b/>\n'],
  [
    "shapes",
    "<svg><path d='x'/><path/></svg>",
    "<svg><path d='x'\n/><path\n/></svg>\n".replace("\n/></svg>", " /></svg>"),
  ],
  ["white space in tags", "<div \n class = 'a b'   id=x >a</div >", "<div class='a b' id=x>a</div>\n"],
  ["names that begin with an equals sign", "<i a/=b><i a='b'/=c>", "<i a/=b><i a='b' =c>\n"],
  ["white space that means nothing", " <div>\n\n <p> a \n b </p>\n</div> ", "<div>\n<p>a b</p>\n</div>\n"],
  ["text that is kept", "<pre>\n a\n  <b>b</b></pre><p>c", "<pre>\n a\n  <b>b</b></pre>\n<p>c\n"],
  [
    "text that is kept around what only looks like its end",
    '<pre>a\n<i title="</pre>">b</i><!-- </pre> --></</pre>\nc<script>"</pre>"</script></pre>\nd',
    '<pre>a\n<i title="</pre>">b</i><!-- </pre> --></</pre>\nc<script>"</pre>"</script></pre>\nd\n',
  ],
  ["scripts", "<script>if (a<b)  c</script><script>d</script>", "<script>if (a<b)  c</script>\n<script>d</script>\n"],
  ["comments", "<!-- a  b --><div><!--c-->d</div>", "<!-- a  b -->\n<div><!--c-->d</div>\n"],
  ["less-than signs", "1 < 2 <3", "1 < 2 <3\n"],
  ["a tag that never ends", "<p>a <b class='x\n y", "<p>a\n<b class='x\n y"],
  ["a comment that never ends", "a<!-- b", "a<!-- b"],
  ["a script that never ends", "<p>a<script>b ", "<p>a<script>b "],
])("%s", (_, html, formatted) => {
  expect(formattedForm(html)).toBe(formatted);
});

const piece = fc.oneof(
  fc
    .constantFrom(..."p div li ul a b span img br svg path script style pre textarea title table tr td".split(" "))
    .chain((name) =>
      fc.constantFrom(
        `<${name}>`,
        `</${name}>`,
        `<${name}/>`,
        `<${name} a=b/ />`,
        `<${name} x = 'y z'\n>`,
        `<${name} "a"=>`,
      ),
    ),
  fc.constantFrom("a", "b c", " ", "\n", "  ", "<", ">", "<!--", "-->", "<!x>", "</", "/", "=", '"', "'", "&lt;", "\0"),
);
const page = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

describe("whatever a page holds", () => {
  test("formatting twice changes nothing more", () => {
    fc.assert(
      fc.property(page, (html) => {
        const once = formattedForm(html);
        expect(formattedForm(once)).toBe(once);
      }),
      { numRuns: 3_000 },
    );
  });

  test("the text stays, and what is between two words", () => {
    fc.assert(
      fc.property(page, (html) => {
        expect(visibleText(formattedForm(html))).toBe(visibleText(html));
      }),
      { numRuns: 3_000 },
    );
  });

  test("each line knows where it begins in the page", () => {
    const letters = (text: string) => text.replaceAll(/[\s/>]+/g, "");
    fc.assert(
      fc.property(page, (html) => {
        const { text, starts: all } = formattedLines(html);
        const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
        // where a page ends inside a script, its last line end begins one more line, which is empty
        const starts = all.filter((start, index) => index < lines.length || start < html.length);
        expect(starts).toHaveLength(lines.length);
        const slices = starts.map((start, index) =>
          html.slice(index === 0 ? 0 : start, starts[index + 1] ?? html.length),
        );
        // values that contain line ends, and white space in tags, move the starts a little
        if (!/=\s*'/.test(html)) expect(slices.map(letters)).toEqual(lines.map(letters));
      }),
      { numRuns: 3_000 },
    );
  });

  test("nothing but white space changes, and slashes that mean nothing", () => {
    const withoutSpace = (html: string) => html.replaceAll(/[\s/]+/g, "");
    fc.assert(
      fc.property(page, (html) => {
        expect(withoutSpace(formattedForm(html))).toBe(withoutSpace(html));
      }),
      { numRuns: 1_000 },
    );
  });
});

test("line ends of another system make no difference, and lines begin where they did", () => {
  const plain = `<!DOCTYPE html\n PUBLIC "x">\n<p title="a\nb">One\n two<pre>a\n\n b</pre>\n<!-- c\nd -->\n<script>\ne\n</script>`;
  const other = plain.replaceAll("\n", "\r\n");
  const [one, two] = [formattedLines(plain), formattedLines(other)];
  expect(two.text).toBe(one.text);
  expect(two.starts).toHaveLength(one.starts.length);
  const behind = (html: string, starts: readonly number[]) => starts.map((at) => html.slice(at).replaceAll("\r", ""));
  expect(behind(other, two.starts)).toEqual(behind(plain, one.starts));
  expect(formattedForm("<pre>a\r\r\nb\rc</pre>")).toBe("<pre>a\r\r\nb\rc</pre>\n");
});

test.each([
  ["elements", "<div>x".repeat(200_000)],
  ["less-than signs", "<".repeat(1_000_000)],
  ["quotes", `<a b="${"'".repeat(1_000_000)}`],
  ["open comments", "<!--".repeat(250_000)],
  ["open scripts", "<script>".repeat(100_000)],
  ["neighbours", "<b></b>".repeat(150_000)],
])("a million characters of %s are formatted", (_, html) => {
  expect(formattedForm(html).replaceAll(/\s/g, "")).toHaveLength(html.replaceAll(/\s/g, "").length);
});
