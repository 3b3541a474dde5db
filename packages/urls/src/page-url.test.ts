import { describe, expect, test } from "@jest/globals";
import { pageUrl, startUrl, withoutSession } from "./page-url.js";

const at = (path: string) => new URL(path, "https://site.example");

test.each([
  ["https://site.example/%7Euser/?utm_source=x&b=1#top", ["utm_*"], "https://site.example/~user/?b=1"],
  ["https://site.example/%c3%a4?PHPSESSID=0123456789abcdef0123", [], "https://site.example/%C3%A4"],
  ["http://Site.Example:80", [], "http://site.example/"],
])("a crawl of %s begins where its links lead", (objectUrl, dropParams, expected) => {
  expect(startUrl(objectUrl, dropParams)).toBe(expected);
  expect(pageUrl(expected, at("/"), { dropParams })?.href).toBe(expected);
});

describe("withoutSession", () => {
  test.each([
    ["/a?PHPSESSID=0123456789abcdef0123", "/a"],
    ["/a?x=1&sid=0123456789abcdef&y=2", "/a?x=1&y=2"],
    ["/a;jsessionid=0A1B2C.node1?x=1", "/a?x=1"],
    ["/a?s=shoes", "/a?s=shoes"],
    ["/a?sid=12", "/a?sid=12"],
    ["/a;v=1", "/a;v=1"],
  ])("%s is %s", (written, clean) => expect(withoutSession(at(written)).href).toBe(at(clean).href));

  test("what holds none is given back as it is", () => {
    const url = at("/a?b=c");
    expect(withoutSession(url)).toBe(url);
  });
});
