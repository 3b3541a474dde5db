import { expect, test } from "@jest/globals";
import type { AssetKind } from "../links/asset-kind.js";
import { createFilePolicy } from "./file-policy.js";

const page = "https://site.test/dir/page.html";

test.each<[policies: string[], url: string, kind: AssetKind, isAllowed: boolean]>([
  [[], "https://other.test/a.png", "image", true],
  [["style-src 'none'"], "https://site.test/a.png", "image", true],
  [["img-src 'self'"], "https://site.test/a.png", "image", true],
  [["img-src 'self'"], "https://other.test/a.png", "image", false],
  [["img-src 'self'"], "data:image/png,", "image", false],
  [["img-src 'self' DATA:"], "data:image/png,", "image", true],
  [["img-src *"], "https://other.test/a.png", "image", true],
  [["img-src *"], "data:image/png,", "image", false],
  [["IMG-SRC 'NONE'"], "https://site.test/a.png", "image", false],
  [["img-src"], "https://site.test/a.png", "image", false],
  [["default-src 'none'; img-src https:"], "https://other.test/a.png", "image", true],
  [["default-src 'none'; img-src https:"], "https://other.test/a.woff2", "font", false],
  [["default-src 'none'; img-src https:"], "https://other.test/a.mp4", "media", false],
  [["default-src *; child-src 'none'"], "https://other.test/", "document", false],
  [["child-src 'none'; frame-src *"], "https://other.test/", "document", true],
  [["style-src-elem 'self'; style-src 'none'"], "https://site.test/a.css", "stylesheet", true],
  [["img-src *.test"], "https://a.b.test/a.png", "image", true],
  [["img-src *.site.test"], "https://site.test/a.png", "image", false],
  [["img-src Site.Test"], "https://site.test/a.png", "image", true],
  [["img-src site.test"], "http://site.test/a.png", "image", false],
  [["img-src http://site.test"], "https://site.test/a.png", "image", true],
  [["img-src site.test"], "https://site.test:8443/a.png", "image", false],
  [["img-src site.test:*"], "https://site.test:8443/a.png", "image", true],
  [["img-src site.test:443"], "https://site.test/a.png", "image", true],
  [["img-src site.test/pictures/"], "https://site.test/pictures/a/b.png", "image", true],
  [["img-src site.test/pictures/"], "https://site.test/a.png", "image", false],
  [["img-src site.test/a.png"], "https://site.test/a.png?x=1", "image", true],
  [["img-src *", "img-src 'self'"], "https://other.test/a.png", "image", false],
  [["default-src 'none'"], "https://site.test/f.ico", "icon", true],
])("by %j, of %s as %s is loaded: %s", (policies, url, kind, isAllowed) => {
  expect(createFilePolicy(policies, page).allows(url, kind)).toBe(isAllowed);
});

test("a nonce lets a link load its stylesheet", () => {
  const policy = createFilePolicy(["style-src 'nonce-abc'"], page);
  const allowed = ["abc", "abd", "", undefined, null].map((nonce) =>
    policy.allows("https://x.test/a.css", "stylesheet", nonce),
  );
  expect(allowed).toEqual([true, false, false, false, true]);
});

test("to a page without TLS its own site over TLS is itself too", () => {
  const policy = createFilePolicy(["img-src 'self'"], "http://site.test/");
  const allowed = ["https://site.test/a", "https://site.test:8443/a", "https://a.site.test/a"].map((url) =>
    policy.allows(url, "image"),
  );
  expect(allowed).toEqual([true, false, false]);
});

test("no more policies and sources count than a page may need", () => {
  const others = (count: number) => "https://a.test ".repeat(count);
  const allows = (policies: string[]) => createFilePolicy(policies, page).allows("https://b.test/a.png", "image");
  expect(allows([`img-src ${others(199)} b.test`])).toBe(true);
  expect(allows([`img-src ${others(200)} b.test`])).toBe(false);
  const any = Array.from({ length: 19 }, () => "img-src *");
  expect(allows([...any, "img-src 'none'"])).toBe(false);
  expect(allows([...any, "img-src *", "img-src 'none'"])).toBe(true);
});
