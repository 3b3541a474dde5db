import { describe, expect, test } from "@jest/globals";
import { createScope, type ScopeOptions } from "./scope.js";

function isIn(root: string, address: string, options?: ScopeOptions): boolean {
  return createScope(new URL(root), options)(new URL(address));
}

describe("path", () => {
  test.each([
    ["https://site.test/", "https://site.test/any/where?x", true],
    ["https://site.test/", "http://site.test/", false],
    ["https://site.test/", "https://www.site.test/", false],
    ["https://site.test/", "https://site.test:8443/", false],
    ["https://site.test/docs/", "https://site.test/docs/", true],
    ["https://site.test/docs/", "https://site.test/docs/a/b", true],
    ["https://site.test/docs/", "https://site.test/docs", false],
    ["https://site.test/docs/", "https://site.test/Docs/a", false],
    ["https://site.test/docs/", "https://site.test/docs-old/a", false],
    ["https://site.test/docs/index.html", "https://site.test/docs/a.html", true],
    ["https://site.test/docs/index.html", "https://site.test/docs/", true],
    ["https://site.test/docs/index.html", "https://site.test/other/", false],
    ["https://site.test/index.php?page=1", "https://site.test/a", true],
    ["https://site.test/docs", "https://site.test/docs", true],
    ["https://site.test/docs", "https://site.test/docs?page=2", true],
    ["https://site.test/docs", "https://site.test/docs/a", true],
    ["https://site.test/docs", "https://site.test/docs-old", false],
    ["https://site.test/v1.2", "https://site.test/v1.2/a", true],
    ["https://site.test/v1.2", "https://site.test/v1.3", false],
    ["https://site.test/.well-known", "https://site.test/.well-known/a", true],
    ["https://site.test/k%c3%a4se/", "https://site.test/k%C3%A4se/a", true],
    ["https://user:secret@site.test/a/#x", "https://site.test/a/b", true],
  ])("%s holds %s: %s", (root, address, expected) => {
    expect(isIn(root, address)).toBe(expected);
  });
});

describe("host", () => {
  test.each([
    ["https://site.test/docs/", "https://site.test/other", true],
    ["https://site.test/docs/", "http://site.test/other", true],
    ["https://site.test:8443/", "https://site.test:8443/x", true],
    ["https://site.test:8443/", "https://site.test/x", false],
    ["https://site.test/", "https://www.site.test/", false],
  ])("%s holds %s: %s", (root, address, expected) => {
    expect(isIn(root, address, { within: "host" })).toBe(expected);
  });
});

describe("domain", () => {
  test.each([
    ["https://www.example.com/a", "http://shop.example.com:8080/", true],
    ["https://www.example.co.uk/", "https://example.co.uk/", true],
    ["https://www.example.co.uk/", "https://other.co.uk/", false],
    ["https://me.github.io/", "https://you.github.io/", false],
    ["https://me.github.io/", "https://me.github.io/project/", true],
    ["https://example.com/", "https://example.com.evil.test/", false],
    ["http://127.0.0.1:8080/", "http://127.0.0.1:9090/", true],
    ["http://127.0.0.1/", "http://127.0.0.2/", false],
    ["http://[::1]/", "http://[::1]:81/", true],
    ["http://localhost/", "http://localhost:81/", true],
    ["http://localhost/", "http://otherhost/", false],
  ])("%s holds %s: %s", (root, address, expected) => {
    expect(isIn(root, address, { within: "domain" })).toBe(expected);
  });
});

describe("prefixes", () => {
  const options: ScopeOptions = {
    within: "prefixes",
    prefixes: ["/blog/", "/api", "https://docs.test/v2/", "javascript:alert(1)"],
  };
  test.each([
    ["https://site.test/blog/a", true],
    ["https://site.test/blog", false],
    ["https://site.test/api", true],
    ["https://site.test/api/x", true],
    ["https://site.test/apis", false],
    ["https://docs.test/v2/x", true],
    ["https://docs.test/v1/x", false],
    ["https://site.test/start?x=1", true],
    ["https://site.test/start", false],
  ])("hold %s: %s", (address, expected) => {
    expect(isIn("https://site.test/start?x=1#y", address, options)).toBe(expected);
  });

  test("none hold only the root", () => {
    expect(isIn("https://site.test/a", "https://site.test/a", { within: "prefixes" })).toBe(true);
    expect(isIn("https://site.test/a", "https://site.test/a/b", { within: "prefixes" })).toBe(false);
  });
});
