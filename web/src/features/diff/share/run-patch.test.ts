import { expect, test } from "@jest/globals";
import { pathInPatch } from "./run-patch.js";

test.each([
  ["https://example.com/", "example.com/index.html"],
  ["https://example.com/shop/", "example.com/shop/index.html"],
  ["https://example.com/shop", "example.com/shop.html"],
  ["https://example.com/a.html", "example.com/a.html"],
  ["https://example.com:8080/a b/%C3%BC?q=1&r=../x", "example.com_8080/a%20b/%C3%BC_q=1&r=../x"],
  ["https://example.com/a//b:c", "example.com/a/b_c.html"],
])("%s is %s in a patch", (url, path) => expect(pathInPatch(url)).toBe(path));

test("no part of a path leads out of its folder", () => {
  expect(pathInPatch("https://example.com/x?y=/../../etc/passwd").split("/")).not.toContain("..");
});
