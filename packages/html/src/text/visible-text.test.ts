import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { visiblePhrase, visibleText } from "./visible-text.js";

test.each([
  ["plain", "a b", "a b"],
  ["inline tags leave no trace", "un<b>like</b>ly <i>a</i>b", "unlikely ab"],
  ["blocks are lines", "<h1>A</h1><p>b<p>c<ul><li>d<li>e</ul>f", "A\nb\nc\nd\ne\nf"],
  ["breaks", "a<br>b<br/>c<hr>d", "a\nb\nc\nd"],
  ["cells", "<table><tr><td>a<td>b</table>", "a\nb"],
  ["white space collapses", " a \n\t b&nbsp; c ", "a b c"],
  ["line ends in the source are spaces", "a\nb", "a b"],
  ["references", "a &amp; b &lt;p&gt; &#x263A; &copy 1", "a & b <p> ☺ © 1"],
  ["references once", "&amp;lt;", "&lt;"],
  ["soft hyphens", "Donau&shy;dampf\u200Bschiff", "Donaudampfschiff"],
  ["title", "<title>T</title>a", "a"],
  ["script", "a<script>if (a<b) '<p>x</p>'</script>b", "ab"],
  ["escaped script", "a<script><!--<script></script>x--></script>b", "ab"],
  ["style", "a<style>p{}</style>b", "ab"],
  ["comment", "a<!-- <p> x -->b", "ab"],
  ["declaration", "<!DOCTYPE html><?php x ?>a", "a"],
  ["noscript", "a<noscript>Turn it on</noscript>b", "ab"],
  ["template", "a<template>x<template>y</template>z</template>b", "ab"],
  ["iframe", "a<iframe>x</iframe>b", "a\nb"],
  ["text area", "<textarea>a<b>&amp;</textarea>", "a<b>&"],
  ["select", "<select><option>a<option>b</select>", "a\nb"],
  ["a drawing's text", "<svg><title>no</title><text>yes</text></svg>", "yes"],
  ["a tag inside a value", "<a title='<p>x'>y</a>", "y"],
  ["less-than signs", "1 < 2 <3 a<", "1 < 2 <3 a<"],
  ["a tag that never ends", "a<p class='x", "a"],
  ["a script that never ends", "a<script>b", "a"],
  ["NUL", "a\0b", "ab"],
  ["nothing", "", ""],
])("%s", (_, html, text) => {
  expect(visibleText(html)).toBe(text);
});

test("stops where it is told to", () => {
  expect(visibleText(`<p>abc</p>${"<p>x</p>".repeat(1_000)}`, { maxChars: 5 })).toBe("abc\nx\nx");
});

test("text without markup comes back as it was, white space aside", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const written = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      const expected = text
        .replaceAll(/[\u00AD\u200B\uFEFF\0]+/g, "")
        .replaceAll(/\s+/g, " ")
        .trim();
      expect(visibleText(written)).toBe(expected);
    }),
  );
});

test.each([
  ["nested elements", "<div>x".repeat(200_000)],
  ["open templates", "<template>".repeat(100_000)],
  ["open comments", "<!--".repeat(250_000)],
  ["less-than signs", "<".repeat(1_000_000)],
  ["ampersands", "&".repeat(1_000_000)],
  ["white space", " ".repeat(1_000_000)],
  ["open quotes", "<a href='".repeat(100_000)],
])("survives %s", (_, html) => {
  expect(visibleText(html).length).toBeLessThanOrEqual(html.length);
});

test.each([
  ["un\u00ADlikely", "unlikely"],
  ["9\u00A0EUR", "9 EUR"],
  ["a \t b", "a b"],
  ["one\r\n\r\n two", "one\ntwo"],
  [" kept at the ends \n", " kept at the ends\n"],
  ["\u200B", ""],
])("a phrase that was copied, %j, is looked for as %j", (copied, phrase) => {
  expect(visiblePhrase(copied)).toBe(phrase);
});

test("reading ends once enough characters were found, and not before", () => {
  const html = `<p>${" ".repeat(5_000)}first</p>${"<p>more words</p>".repeat(1_000)}`;
  const all = visibleText(html);
  for (const enough of [1, 5, 250, 5_000]) {
    const some = visibleText(html, { enough });
    expect(all.startsWith(some)).toBe(true);
    expect(some.length).toBeGreaterThanOrEqual(enough);
    expect(some.length).toBeLessThan(enough * 2 + 20);
  }
  expect(visibleText(html, { enough: 1_000_000 })).toBe(all);
});
