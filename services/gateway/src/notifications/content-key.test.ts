import { expect, test } from "@jest/globals";
import { withoutAddress } from "./content-key.js";

test.each([
  ['<link rel="canonical" href="http://a.test/b/c">', "http://a.test/b/c", '<link rel="canonical" href="">'],
  ['<a href="/b/c">c</a> <a href="/b/c-2">2</a>', "http://a.test/b/c", '<a href="">c</a> <a href="/b/c-2">2</a>'],
  ["share?u=http://a.test/b/c#top", "http://a.test/b/c", "share?u=#top"],
  ['<a href="/b?x=1&amp;y=2">', "http://a.test/b?x=1&y=2", '<a href="">'],
  ["/straße", "http://a.test/stra%C3%9Fe", ""],
  ['<a href="/">home</a>', "http://a.test/", '<a href="/">home</a>'],
])("%s of %s is %s", (text, url, left) => {
  expect(withoutAddress(text, url)).toBe(left);
});
