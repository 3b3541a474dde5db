import { expect, test } from "@jest/globals";
import { textForm, textLines } from "./text-form.js";

test.each([
  ["nothing", "", ""],
  ["headings", "<h1>One</h1><p>a<h3>Two</h3>", "# One\na\n### Two\n"],
  ["lists", "<ul><li>a<li><p>b</p><p>c</p></ul>", "- a\n- b\nc\n"],
  ["links", 'See <a href="/docs?a=1&amp;b">the <b>docs</b></a>.', "See the docs (/docs?a=1&b).\n"],
  ["links without an address", "<a name=x>a</a>", "a\n"],
  ["a link that nobody closed", "<a href=/x>a<a href=/y>b", "a (/x)b (/y)\n"],
  ["pictures", '<p>a<img alt=" two  words " src=x>b<img src=y alt="">', "a [two words] b\n"],
  [
    "buttons",
    "<input type=Submit value='Buy &amp; pay'><input type=submit><input name=q value=v><input type=hidden value=t><input type=image alt=Go>",
    "[Buy & pay] [Go]\n",
  ],
  ["what is not shown", "<title>t</title><script>s</script><style>c</style>a", "a\n"],
  ["references", "&lt;b&gt; &amp;amp;", "<b> &amp;\n"],
])("%s", (_, html, text) => {
  expect(textForm(html)).toBe(text);
});

test("each line begins where what it holds begins, also where that is a picture", () => {
  const html = "<p>Old</p><img alt=one><p>two<p><b></b><img alt=three>";
  const { text, starts } = textLines(html);
  expect(text).toBe("Old\n[one]\ntwo\n[three]\n");
  expect(starts.map((at) => html.slice(at, at + 8))).toEqual(["Old</p><", "<img alt", "two<p><b", "<img alt"]);
});

test("a line of very many words, each in an element of its own", () => {
  expect(textForm(`<p>${"<b>a </b>".repeat(400_000)}`)).toHaveLength(800_000);
});
