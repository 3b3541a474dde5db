import { expect, test } from "@jest/globals";
import { objectUrl } from "./object-url.js";

test.each([
  ["HTTP://Example.COM:80", "http://example.com/"],
  ["https://example.com:443/a/../b", "https://example.com/b"],
  ["http://example.com/a#part", "http://example.com/a"],
  ["http://bücher.example/ü?q=1", "http://xn--bcher-kva.example/%C3%BC?q=1"],
  ["http://127.1:8080/x", "http://127.0.0.1:8080/x"],
])("%s → %s", (written, expected) => {
  expect(objectUrl(written)).toBe(expected);
  expect(objectUrl(expected)).toBe(expected);
});
