import { expect, test } from "@jest/globals";
import { listCssAssets, listPageAssets } from "./list-assets.js";

const site = "http://site.example";
const listed = (base: string) =>
  listPageAssets(
    `<base href="${base}"><img src="one.png"><img src="/two.png"><img src="http://other.example/three.png">`,
    `${site}/`,
    "show",
  ).map(({ url }) => url);
const elsewhere = [`${site}/two.png`, "http://other.example/three.png"];

test("files are relative to the base of their page", () => {
  const path = "/a".repeat(500);
  expect(listed(`${path}/b`)).toEqual([`${site}${path}/one.png`, ...elsewhere]);
});

test("a stylesheet has the digests that its only link names it by", () => {
  const link = (href: string, more = "") => `<link rel="stylesheet" href="${href}" ${more}>`;
  const hint = `<link rel="preload" as="style" href="a">`;
  const html = `${hint}${link("a", 'integrity="sha256-A"')}${hint}${link("b")}${link("c", 'integrity="sha256-C"')}${link("c")}`;
  const sheet = (name: string) => ({ url: `${site}/${name}`, kind: "stylesheet" });
  const named = { ...sheet("a"), integrity: "sha256-A" };
  expect(listPageAssets(html, `${site}/`, "show")).toEqual([named, sheet("b"), sheet("c")]);
});

test("a base of a megabyte does not make the address of each file as long", () => {
  const [one, ...others] = listed(`/${"a".repeat(1024 * 1024)}/b`);
  // it stays too long to be requested, so that no other file is taken for this one
  expect(one).toMatch(/^http:\/\/site\.example\/a+\/one\.png$/);
  expect(one?.length).toBeGreaterThan(2_000);
  expect(one?.length).toBeLessThan(2_100);
  expect(others).toEqual(elsewhere);
});

test("a long query of a base changes nothing", () => {
  expect(listed(`/folder/page?${"q".repeat(1024 * 1024)}`)).toEqual([`${site}/folder/one.png`, ...elsewhere]);
});

test("a page or a style sheet that was redirected to a long address names no longer ones either", () => {
  const long = `${site}/${"a".repeat(60_000)}/b`;
  const [page] = listPageAssets(`<img src="one.png">`, long, "show");
  const [sheet] = listCssAssets("p { background: url(one.png) }", long);
  for (const found of [page, sheet]) expect(found?.url.length).toBeLessThan(2_100);
});

test("the reading ends with as many files as are wanted, or with twenty times as many addresses of the same ones", () => {
  const pictures = (count: number, of: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `<img src="${of(index)}">`).join("");
  const list = (html: string) => listPageAssets(html, `${site}/`, "show", 10).map(({ url }) => url);
  const firstTen = Array.from({ length: 10 }, (_, index) => `${site}/${index}`);
  expect(list(pictures(10, String))).toEqual(firstTen);
  expect(list(pictures(60_000, String))).toEqual(firstTen);
  expect(list(`${pictures(199, () => "a")}<img src="b">`)).toEqual([`${site}/a`, `${site}/b`]);
  expect(list(`${pictures(200, () => "a")}<img src="b">`)).toEqual([`${site}/a`]);
  const sheet = Array.from({ length: 100 }, (_, index) => `a { background: url(${index}) }`).join("\n");
  expect(listCssAssets(sheet, `${site}/`, 10).map(({ url }) => url)).toEqual(firstTen);
});
