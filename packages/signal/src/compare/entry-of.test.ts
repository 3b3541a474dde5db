import { expect, test } from "@jest/globals";
import { assess } from "./assess.js";
import { fileShapes, shapesOf } from "./fingerprint.js";
import { LeftPage } from "./left-page.js";

const shapes = (a: string, b: string) => shapesOf(assess(new LeftPage(a, []), new LeftPage(b, [])).hunks, "/list");
const rest = "<p>Other words</p><hr>".repeat(3);
const entry = (marks = "", words = "Ships in the ice", link = "/ships") =>
  `<article ${marks}><h2><a href="${link}">${words}</a></h2><p>What is to be said of them.</p></article>`;
const entryOf = (a: string, b: string) => shapes(a, b)[0]?.entry;

test("an entry that came and one that went have one number with two signs, whatever attributes their place gives them", () => {
  const came = entryOf(rest, entry() + rest);
  expect(came).toBeGreaterThan(0);
  expect(entryOf(rest + entry('class="lazy" data-place="last"'), rest)).toBe(-(came ?? 0));
});

test.each([
  ["other words", entry("", "Ships in the fog")],
  ["another link", entry("", "Ships in the ice", "/boats")],
  ["another number in its words", entry("", "Ships in the ice 2")],
])("an entry with %s has another one", (_name, other) => {
  expect(entryOf(rest, other + rest)).not.toBe(entryOf(rest, entry() + rest));
});

test.each([
  ["an edit", entry() + rest, entry("", "Ships in the fog") + rest],
  ["a part without a link", rest, `<p>What is to be said of all of them, and of the ice.</p>${rest}`],
  ["a part of a few characters", rest, `<p><a href="/a">a</a></p>${rest}`],
])("%s has none", (_name, before, after) => {
  expect(shapes(before, after)).toHaveLength(1);
  expect(entryOf(before, after)).toBeUndefined();
});

test("the sizes in which a picture is offered are one kind of change", () => {
  const kinds = (...urls: string[]) =>
    new Set(fileShapes(urls.map((url) => ({ url, before: null, after: "aa" }))).map(({ fingerprint }) => fingerprint))
      .size;
  expect(
    kinds("https://h.example/p-1.jpg", "https://h.example/p-1-300x183.jpg", "https://h.example/p-1-1024x626.jpg"),
  ).toBe(1);
  expect(kinds("https://h.example/p-1.jpg", "https://h.example/p-2.jpg", "https://h.example/p-1x2/a.jpg")).toBe(3);
});
