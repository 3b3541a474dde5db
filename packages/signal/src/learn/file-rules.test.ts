import { expect, test } from "@jest/globals";
import { rulesForFiles } from "./file-rules.js";

const files = ["/a.svg", "/ad?n=1", "/ad?n=2", "/site.css", "/gone.png"].map((path) => ({
  url: `https://site.test${path}`,
  pages: path === "/ad?n=2" ? 7 : 3,
}));
const hashes = (turn: string, changing: readonly string[]) =>
  new Map(files.map(({ url }) => [url, changing.some((part) => url.includes(part)) ? `${turn}${url}` : "same"]));
const before = hashes("first", ["/a.svg", "/ad", "/gone"]);
const after = hashes("second", ["/a.svg", "/ad", "/gone"]);
after.delete("https://site.test/gone.png");

test("files that are not the same twice have a rule, those of one path together", () => {
  const learned = rulesForFiles(files, [before, after], { looked: 9, rules: [] });
  expect(learned.map(({ spec }) => [spec.kind, spec.pattern])).toEqual([
    ["file", "https://site.test/a.svg"],
    ["file", "https://site.test/ad*"],
  ]);
  expect(learned.map(({ evidence }) => [evidence.pages, evidence.looked, evidence.values.length])).toEqual([
    [3, 9, 2],
    [7, 9, 2],
  ]);
});

test("what a rule ignores already has no other one", () => {
  const [first] = rulesForFiles(files, [before, after], { looked: 9, rules: [] });
  if (first === undefined) throw new Error("nothing was learned");
  const rules = [{ ...first.spec, pattern: "*.svg", id: "r", path: "*", note: "" }];
  expect(rulesForFiles(files, [before, after], { looked: 9, rules }).map(({ spec }) => spec.pattern)).toEqual([
    "https://site.test/ad*",
  ]);
});

test("where all are the same there is none", () => {
  expect(rulesForFiles(files, [before, before], { looked: 9, rules: [] })).toEqual([]);
});
