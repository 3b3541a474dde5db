import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { comparePages } from "./changed-pages.mjs";
import { pageLinks, reachablePages } from "./reachable-pages.mjs";

async function withFiles<T>(files: Record<string, string>, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "pages-test-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test.each([
  ["<a href=x.html#part>", ["http://h/d/x.html"]],
  ["<map><area href='x.html'></map>", ["http://h/d/x.html"]],
  ["<a href='a&amp;b.html?q=1&amp;r=2'>", ["http://h/d/a&b.html?q=1&r=2"]],
  ["<base href='/other/'><base href='/third/'><a href=x>", ["http://h/other/x"]],
  ["<a href=' \n x.html '>", ["http://h/d/x.html"]],
  ["<a href='#here'><a href=''>", ["http://h/d/page.html", "http://h/d/page.html"]],
  ["<a href='mailto:a@b.c'><a href='javascript:x()'><a href='http://['><a name=x>", []],
  ["<!-- <a href=x> --><script>'<a href=y>'</script><textarea><a href=z></textarea>", []],
  ["<link rel=next href=x.html><img src=y.png>", []],
  ["<template><a href=x></template>", []],
])("pageLinks of %j", (html, expected) => {
  expect(pageLinks(html, "http://h/d/page.html")).toEqual(expected);
});

test("pageLinks copes with deep nesting", () => {
  expect(pageLinks(`${"<div>".repeat(20_000)}<a href=x>`, "http://h/")).toEqual(["http://h/x"]);
});

test("reachablePages follows links inside the folder only, each page once", async () => {
  const files = {
    "index.html":
      '<a href="a.html#1"><a href="a.html#2"><a href="sub/"><a href="../up.html"><a href="http://elsewhere.example/">',
    "a.html": '<a href="index.html"><a href="none.html"><a href="%zz"><a href="style.css"><a href="a.html?page=2">',
    "sub/index.html": '<a href="b.html">',
    "sub/b.html": "<p>end",
    "style.css": "",
    "orphan.html": "<p>nobody links here",
  };
  const found = await withFiles(files, (folder) => reachablePages(folder));
  expect([...found.pages].sort()).toEqual(["a.html", "a.html?page=2", "index.html", "sub/", "sub/b.html"]);
  expect([...found.dead]).toEqual([
    ["%zz", "a.html"],
    ["none.html", "a.html"],
  ]);
  expect([...found.otherFiles]).toEqual(["style.css"]);
  expect(found.outside).toBe(2);
});

test("comparePages tells changed, same and gone by bytes", async () => {
  const compared = await withFiles(
    { "1/a": "x", "1/b": "y", "1/c": "z", "2/a": "x", "2/b": "y ", "2/d": "new" },
    (folder) => comparePages(join(folder, "1"), join(folder, "2"), ["a", "b", "c"]),
  );
  expect(compared).toEqual({ changed: new Set(["b"]), same: new Set(["a"]), gone: new Set(["c"]) });
});
