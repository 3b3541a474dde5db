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

const preview = { from: "https://ci.test/pr-1/", to: "https://ci.test/" };
test.each([
  ['<a href="/pr-1/a?b#c">', '<a href="/a?b#c">'],
  ["<a href=/pr-1/>", "<a href=/>"],
  ['<a href="/pr-1">', '<a href="/">'],
  ["url(/pr-1/x.png), /pr-1/y.png 2x", "url(/x.png), /y.png 2x"],
  ["https://ci.test/pr-1/a http://ci.test/pr-1/a", "https://ci.test/a http://ci.test/a"],
  [String.raw`"u":"https:\/\/ci.test\/pr-1\/x","p":"\/pr-1\/x"`, String.raw`"u":"https:\/\/ci.test\/x","p":"\/x"`],
  ["?next=https%3A%2F%2Fci.test%2Fpr-1%2Fa&p=%2Fpr-1%2Fa", "?next=https%3A%2F%2Fci.test%2Fa&p=%2Fa"],
  // other folders and hosts, and later parts of addresses
  ['"/pr-12/a" "/PR-1/a" "/x/pr-1/a" "../pr-1/a"', '"/pr-12/a" "/PR-1/a" "/x/pr-1/a" "../pr-1/a"'],
  [
    "https://ci.test/pr-12/a https://ci.test/ //other.test/pr-1/a",
    "https://ci.test/pr-12/a https://ci.test/ //other.test/pr-1/a",
  ],
])("%j in a folder is read as %j", (text, as) => expect(read(text, preview)).toBe(as));

test("one folder is read as another, with the host and without", () => {
  const by = { from: "http://a.test/docs/", to: "https://b.test/new/docs/" };
  expect(read('"/docs/x" "http://a.test/docs/x" "http://a.test/y" "/y"', by)).toBe(
    '"/new/docs/x" "https://b.test/new/docs/x" "https://b.test/y" "/y"',
  );
});

test("a long document is read in linear time", () => {
  const text = `${"/".repeat(500_000)}${"/pr-1".repeat(200_000)}${" ".repeat(500_000)}`;
  const start = performance.now();
  expect(read(text, preview)).toHaveLength(text.length);
  expect(performance.now() - start).toBeLessThan(2_000);
});

test("a site that left http for https is read with its new scheme", () => {
  expect(read("http://a.test/x", { from: "http://a.test", to: "https://a.test" })).toBe("https://a.test/x");
});
