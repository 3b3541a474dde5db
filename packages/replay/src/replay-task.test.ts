import { expect, test } from "@jest/globals";
import { type ReplayFile, replayText } from "./replay-task.js";

const baseUrl = "http://site.example/";
/** Longer than the part that is searched for a charset. */
const filler = `<p title="${"x".repeat(1_100)}">`;

function nested(name: string, html: string): ReplayFile {
  const [, extension = ""] = name.split(".");
  const url = baseUrl + name;
  const contentType = { svg: "image/svg+xml", txt: "text/plain; charset=utf-8" }[extension] ?? "text/html";
  const bytes = Buffer.from(html);
  return { url, baseUrl: url, address: `/kept/${name}`, extension, isRefused: false, nested: { bytes, contentType } };
}

function show(html: string, files: ReplayFile[]): string {
  return replayText({
    kind: "page",
    bytes: Buffer.from(html),
    charset: "utf-8",
    baseUrl,
    noscript: "show",
    policies: undefined,
    marks: null,
    files,
    window: undefined,
  });
}

test.each([
  ["frame", `<iframe src=a.html></iframe>`, nested("a.html", `${filler}<a onclick=x href=/a>first</a>`), "first"],
  [
    "sprite",
    `<svg><use href="s.svg#i"/></svg>`,
    nested(
      "s.svg",
      `<svg xmlns="http://www.w3.org/2000/svg">${filler}</p><symbol id="i"><path d="M1 1"/></symbol></svg>`,
    ),
    "M1 1",
  ],
])("what follows a %s is made harmless and shown as everything else is", (_what, markup, file, words) => {
  const rest = `<a href=/b onclick=x>b</a><iframe src=b.html></iframe><img src=gone.png><script>run()</script><p>end`;
  const shown = show(`<title>t</title>${markup}${rest}`, [file, nested("b.html", "<p>second")]);
  expect(shown).toContain(words);
  expect(shown).toContain("second");
  expect(shown).toContain(`href="http://site.example/b"`);
  expect(shown).toContain("<p>end");
  for (const gone of ["onclick", "gone.png", "run()", "src=b.html"]) expect(shown).not.toContain(gone);
});

test("a text in a frame is shown letter by letter, other files that are no documents are not", () => {
  const text = nested("a.txt", "\n1 < 2 & <b>3</b>");
  const shown = show(`<iframe src=a.txt></iframe>`, [text]);
  expect(shown).toContain(`white-space:pre-wrap&quot;&gt;\n\n1 &amp;lt; 2 &amp;amp; &amp;lt;b&gt;3&amp;lt;/b&gt;`);
  const of = (extension: string, contentType: string) =>
    show(`<iframe src=a.txt></iframe>`, [
      { ...text, extension, nested: { bytes: Buffer.from(`{"a": "<"}`), contentType } },
    ]);
  for (const [extension, type] of [
    ["json", "application/json"],
    ["css", "text/css; charset=utf-8"],
    ["txt", "application/javascript"],
  ] as const)
    expect(of(extension, type)).toContain(`{&quot;a&quot;: &quot;&amp;lt;&quot;}`);
  for (const [extension, type] of [
    ["txt", "text/xml"],
    ["pdf", "application/pdf"],
    ["bin", "application/jsonp"],
  ] as const)
    expect(of(extension, type)).not.toContain("srcdoc");
});

test("an object shows what is inside of it where its picture came with the status of an error", () => {
  const markup = "<img src=a.png><object data=a.png>Instead</object><embed src=a.png>";
  const picture = { ...nested("a.png", ""), nested: null };
  const count = (html: string) => html.split("/kept/a.png").length - 1;
  expect(count(show(markup, [picture]))).toBe(3);
  expect(count(show(markup, [{ ...picture, isRefused: true }]))).toBe(2);
});
