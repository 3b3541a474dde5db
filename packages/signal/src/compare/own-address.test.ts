import { describe, expect, test } from "@jest/globals";
import { withoutOwn } from "./own-address.js";

describe("a page's own address", () => {
  test.each([
    ["/news/a/", '<a href="/news/a/">', '<a href="\u0002">'],
    ["/news/a/", '<link href="https://host.example/news/a/">', '<link href="https://host.example\u0002">'],
    ["/news/a/", '<a href="/news/a/#respond">', '<a href="\u0002#respond">'],
    ["/news/a/", '<link href="https://host.example/news/a/feed/">', '<link href="https://host.example\u0002feed/">'],
    ["/news/a", '<a href="/news/a/edit">', '<a href="\u0002/edit">'],
    ["/x?b=1&c=2", '<a href="/x?b=1&amp;c=2&amp;print=1">', '<a href="\u0002&amp;print=1">'],
    ["/news/a/", "login?to=https%3A%2F%2Fhost.example%2Fnews%2Fa%2F&x", "login?to=https%3A%2F%2Fhost.example\u0002&x"],
    ["/news/a.b", "see /news/a.b", "see \u0002"],
  ])("%s in %s", (path, text, left) => {
    expect(withoutOwn(text, path)).toBe(left);
  });

  test.each([
    ["/2026/11/", '<a href="https://host.example/2026/11/the-lighthouse-opens/">The lighthouse</a>'],
    ["/docs", '<a href="/docs/getting-started.html">'],
    ["/p", "<p>Words</p>"],
    ["/news/a.b", "/news/aXb"],
    ["/", '<a href="/">'],
  ])("%s is not in %s", (path, text) => {
    expect(withoutOwn(text, path)).toBe(text);
  });
});
