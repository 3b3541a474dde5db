import { expect, test } from "@jest/globals";
import { changedFiles, type KeptFile } from "./changed-files.js";

const file = (path: string, hash: string | null, kind = "stylesheet"): KeptFile => ({
  url: `https://site.test/${path}`,
  kind,
  hash,
});
const summary = (before: KeptFile[], after: KeptFile[]) =>
  changedFiles(before, after).map(({ change, url, before: old, after: now, before_url: from }) =>
    [
      change,
      new URL(url).pathname.slice(1),
      old,
      now,
      ...(from === null ? [] : [new URL(from).pathname.slice(1)]),
    ].join(" "),
  );

test("tells changed, added and removed files; the same bytes are no change", () => {
  const before = [file("site.css", "1"), file("same.css", "2"), file("old.png", "3", "image")];
  const after = [file("same.css", "2"), file("new.png", "4", "image"), file("site.css", "9")];
  expect(summary(before, after)).toEqual(["changed site.css 1 9", "added new.png  4", "removed old.png 3 "]);
  expect(summary(before, before.toReversed())).toEqual([]);
});

test("a file that is missing on a side is not compared", () => {
  expect(summary([file("a.css", "1"), file("b.css", null)], [file("a.css", null), file("b.css", "2")])).toEqual([]);
});

test("what a stylesheet names is not compared where that came too late on a side", () => {
  const style = file("site.css", "1");
  const [icon, logo] = [file("icon.png", "2", "image"), file("logo.png", "3", "image")];
  expect(summary([file("site.css", null), logo], [style, logo, icon])).toEqual([]);
  expect(summary([style, logo, icon], [file("site.css", null), logo])).toEqual([]);
  // one that is missing for ever hides nothing
  expect(summary([file("site.css", null), logo], [file("site.css", null), logo, icon])).toEqual(["added icon.png  2"]);
  // nor does a picture
  expect(summary([file("a.png", null, "image"), logo], [logo, icon])).toEqual(["added icon.png  2"]);
});

test("a side that has nothing but missing files is not compared", () => {
  expect(summary([file("site.css", "1")], [{ url: "https://site.test/", kind: "document", hash: null }])).toEqual([]);
});

test("the same bytes under another address are no change", () => {
  expect(summary([file("img/hero.png?v=1", "1", "image")], [file("img/hero.png?v=2", "1", "image")])).toEqual([]);
});

test.each([
  ["site.css?v=1", "site.css?v=2"],
  ["app-3f2a91bc.js", "app-91bc3f2a.js"],
  ["assets/index-DkQx_7ab.js", "assets/index-B9-mVaxQ.js"],
  ["main.3f2a91bc77.chunk.js", "main.0aa1b2c377.chunk.js"],
])("%s and %s are one file that changed", (before, after) => {
  expect(changedFiles([file(before, "1")], [file(after, "2")])).toEqual([
    expect.objectContaining({
      change: "changed",
      before_url: `https://site.test/${before}`,
      url: `https://site.test/${after}`,
      before: "1",
      after: "2",
    }),
  ]);
});

test.each([
  ["team-alice.jpg", "team-bob.jpg"],
  ["a/site.css", "b/site.css"],
])("%s and %s are two files", (before, after) => {
  expect(summary([file(before, "1", "image")], [file(after, "2", "image")])).toEqual([
    `added ${after}  2`,
    `removed ${before} 1 `,
  ]);
});

test("files of one name are paired one to one", () => {
  const before = [file("icon.svg?a", "1", "image"), file("icon.svg?b", "2", "image")];
  const after = [file("icon.svg?c", "3", "image")];
  expect(summary(before, after)).toEqual(["changed icon.svg 1 3 icon.svg", "removed icon.svg 2 "]);
});
