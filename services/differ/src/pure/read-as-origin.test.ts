import { expect, test } from "@jest/globals";
import { readAsOrigin } from "./read-as-origin.js";

const map = { from: "http://staging.test:8080", to: "https://shop.test" };
const read = (text: string, by = map) => readAsOrigin(Buffer.from(text), by).toString();

test.each([
  ['<a href="http://staging.test:8080/a?b#c">', '<a href="https://shop.test/a?b#c">'],
  ["//staging.test:8080/x", "//shop.test/x"],
  [String.raw`"u":"http:\/\/staging.test:8080\/x"`, String.raw`"u":"https:\/\/shop.test\/x"`],
  ["?next=http%3A%2F%2Fstaging.test:8080%2Fa", "?next=https%3A%2F%2Fshop.test%2Fa"],
  ["HTTP://STAGING.TEST:8080", "https://shop.test"],
  // other hosts, and text that only looks like the origin
  [
    "http://staging.test:80801/ http://staging.test/ http://xstaging.test:8080",
    "http://staging.test:80801/ http://staging.test/ http://xstaging.test:8080",
  ],
  ["http://staging.test:8080.evil.test/", "http://staging.test:8080.evil.test/"],
  ["staging.test:8080 in words, 日本", "staging.test:8080 in words, 日本"],
])("%j is read as %j", (text, as) => expect(read(text)).toBe(as));

test("a host is no expression", () => {
  expect(read("//axb.test/", { from: "http://a.b.test", to: "http://c.test" })).toBe("//axb.test/");
});
