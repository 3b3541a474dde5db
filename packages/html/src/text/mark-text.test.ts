import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parse, serialize } from "parse5";
import { markEnd, markStart, markText } from "./mark-text.js";
import { textWords } from "./text-words.js";

const rangesOf = (html: string): number[] => {
  const { starts, ends } = textWords(html);
  return starts.flatMap((start, index) => [start, ends[index] ?? 0]);
};
const unmarked = (html: string) => html.replaceAll(markStart("added"), "").replaceAll(markEnd, "");
const words = (html: string) => textWords(html).words;

const piece = fc.oneof(
  fc.constantFrom(
    ..."<p>|</p>|<b>|</b>|<svg>|</svg>|<svg/>|<math>|</math>|<select>|<option>|</select>|<title>|</title>|<script>|</script>|<style>|</style>|<textarea>|</textarea>|<!--|-->|<![CDATA[|]]>|<table>|<tr>|<td>|</table>|<template>|</template>|<a href='x y'>|<img alt=\"a > b\">|<|&amp;|&|\0|日本|<plaintext>|<noscript>|</noscript>|<object>|</object>|<foreignObject>|</foreignObject>|<i title=".split(
      "|",
    ),
  ),
  fc.string({ maxLength: 6 }),
  fc.constantFrom("one", " two ", "\n", "x>y"),
);
const page = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));

describe("words of a page", () => {
  test.each([
    ["<p>Hello <b>big</b> world</p>", ["Hello", "big", "world"]],
    ["a<svg><text>no</text></svg>b", ["a", "b"]],
    ["a<svg/>b", ["a", "b"]],
    ["a<svg><![CDATA[ > </svg> no ]]></svg>b", ["a", "b"]],
    ["a<svg><svg>no</svg>no</svg>b", ["a", "b"]],
    ["<select><option>no</select>yes", ["yes"]],
    ["<title>no</title><textarea>no</textarea><script>no</script><style>no</style>yes", ["yes"]],
    ["<template><p>no</p></template><!-- no -->yes", ["yes"]],
    ["日本 語", ["日", "本", "語"]],
    ["x < y &amp; z", ["x", "y", "&amp;", "z"]],
    ["yes<plaintext>no", ["yes"]],
  ])("%s", (html, expected) => {
    expect(words(html).filter((each) => each !== "<")).toEqual(expected);
  });

  test("stand where they say", () => {
    fc.assert(
      fc.property(page, (html) => {
        const found = textWords(html);
        found.words.forEach((each, index) => expect(html.slice(found.starts[index], found.ends[index])).toBe(each));
      }),
    );
  });
});

describe("marks", () => {
  test("taken out again leave the page that was", () => {
    fc.assert(
      fc.property(page, (html) => {
        expect(unmarked(markText(html, rangesOf(html), "added"))).toBe(html);
      }),
      { numRuns: 500 },
    );
  });

  test("leave the page's elements as they were", () => {
    const html = `<!doctype html><title>t</title><body><ul><li>one<li>two</ul><table><tr><td>cell</table><p>x<svg><text>y</text></svg><select><option>z</select>`;
    const marked = markText(html, rangesOf(html), "added");
    expect(marked).not.toBe(html);
    const parsed = serialize(parse(marked));
    expect(unmarked(parsed)).toBe(serialize(parse(html)));
  });

  test("ranges that lie outside, overlap or are empty are left out", () => {
    expect(unmarked(markText("abc", [1, 2, 1, 3, 3, 3, 2, 9], "added"))).toBe("abc");
  });
});
