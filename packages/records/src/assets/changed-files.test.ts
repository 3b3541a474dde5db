import { describe, expect, test } from "@jest/globals";
import { changedFiles, type KeptFile, type KeptFiles } from "./changed-files.js";

const late = "It did not come in time.";
const file = (path: string, hash: string | null, kind = "stylesheet", error = late): KeptFile => ({
  url: `https://site.test/${path}`,
  kind,
  hash,
  error: hash === null ? error : null,
});
const all = (files: KeptFile[]): KeptFiles => ({ files, scripts: "own" });
const compared = (before: KeptFile[], after: KeptFile[]) => changedFiles(all(before), all(after));
const summary = (before: KeptFile[], after: KeptFile[]) =>
  compared(before, after).map(({ change, url, before: old, after: now, before_url: from }) =>
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
  // a stylesheet that is missing on both sides hides nothing
  expect(summary([file("site.css", null), logo], [file("site.css", null), logo, icon])).toEqual(["added icon.png  2"]);
  // nor does a missing picture
  expect(summary([file("a.png", null, "image"), logo], [logo, icon])).toEqual(["added icon.png  2"]);
});

test("a file that is gone is missing, whatever is shown in its place", () => {
  const shown = (hash: string | null, kind = "image", status = 404): KeptFile => ({
    ...file("a", hash, kind),
    error: `The server answered ${status} Not Found for https://site.test/a. The page does not exist.`,
  });
  const there = file("a", "1", "image");
  expect(summary([there], [shown("2")])).toEqual(["missing a 1 "]);
  expect(summary([shown("2")], [there])).toEqual(["back a  1"]);
  expect(summary([shown("2")], [shown("3")])).toEqual(["changed a 2 3"]);
  // earlier releases kept nothing of it
  expect(summary([shown(null)], [shown("2")])).toEqual([]);
  expect(summary([file("b", "1"), shown(null)], [file("b", "1"), shown("2")])).toEqual([]);
  // nor is it a new file
  expect(summary([file("b", "1")], [file("b", "1"), shown("2")])).toEqual([]);
  // what the document of a frame named is not removed where another one is shown in its place
  const framed = file("framed.png", "5", "image");
  const [frame, logo] = [file("a", "1", "document"), file("logo.png", "3", "image")];
  expect(summary([frame, logo, framed], [shown("2", "document"), logo])).toEqual(["missing a 1 "]);
  // other refusals may pass
  expect(summary([there], [shown("2", "image", 403)])).toEqual(["changed a 1 2"]);
});

test("a side that has nothing but missing files is not compared", () => {
  expect(summary([file("site.css", "1")], [file("", null, "document")])).toEqual([]);
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
  expect(compared([file(before, "1")], [file(after, "2")])).toEqual([
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

describe("a file that its server says is gone", () => {
  const gone = (path: string, kind = "image", status = "404 Not Found") =>
    file(
      path,
      null,
      kind,
      `The server answered ${status} for https://site.test/${path}. The page does not exist, or no longer exists.`,
    );

  test("is told as missing, and as back when it is there again", () => {
    const logo = file("logo.png", "1", "image");
    expect(summary([logo], [gone("logo.png")])).toEqual(["missing logo.png 1 "]);
    expect(summary([logo], [gone("logo.png", "image", "410 Gone")])).toEqual(["missing logo.png 1 "]);
    expect(summary([gone("logo.png")], [logo])).toEqual(["back logo.png  1"]);
    expect(summary([gone("logo.png")], [gone("logo.png")])).toEqual([]);
  });

  test("is not told so where the server had a fault", () => {
    expect(summary([file("a.png", "1", "image")], [gone("a.png", "image", "503 Service Unavailable")])).toEqual([]);
  });

  test("hides what it would have named", () => {
    const [style, icon] = [file("site.css", "1"), file("icon.png", "2", "image")];
    const logo = file("logo.png", "3", "image");
    expect(summary([style, icon, logo], [gone("site.css", "stylesheet"), logo])).toEqual(["missing site.css 1 "]);
  });

  test("may have another name", () => {
    const after = [gone("app-91bc3f2a.js", "script"), file("a.css", "2")];
    expect(summary([file("app-3f2a91bc.js", "1", "script"), file("a.css", "2")], after)).toEqual([
      "missing app-91bc3f2a.js 1  app-3f2a91bc.js",
    ]);
  });
});

describe("scripts", () => {
  const [style, script] = [file("a.css", "1"), file("a.js", "2", "script")];
  const other = { ...file("x.js", "3", "script"), url: "https://other.test/x.js" };

  test("are files as others are", () => {
    expect(summary([style, script], [style, file("a.js", "9", "script")])).toEqual(["changed a.js 2 9"]);
  });

  test("are not new where they were not looked for before", () => {
    expect(changedFiles({ files: [style], scripts: null }, all([style, script]))).toEqual([]);
    expect(summary([style], [style, script])).toEqual(["added a.js  2"]);
    const some = changedFiles(all([style, script]), {
      files: [style, file("a.js", "9", "script"), other],
      scripts: "all",
    });
    expect(some.map(({ change, url }) => `${change} ${url}`)).toEqual(["changed https://site.test/a.js"]);
  });
});
