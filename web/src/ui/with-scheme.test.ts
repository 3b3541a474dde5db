import { expect, test } from "@jest/globals";
import { withScheme } from "./with-scheme.js";

test.each([
  ["example.com", "https://example.com"],
  ["  example.com:8443/a?b=c#d ", "https://example.com:8443/a?b=c#d"],
  ["bücher.example/", "https://bücher.example/"],
  ["203.0.113.7", "https://203.0.113.7"],
  ["[2001:db8::1]:8080/", "https://[2001:db8::1]:8080/"],
  ["172.32.0.1", "https://172.32.0.1"],
  ["10.example.com", "https://10.example.com"],
  ["localhost", "http://localhost"],
  ["localhost:3000/map.xml", "http://localhost:3000/map.xml"],
  ["shop.localhost:3000", "http://shop.localhost:3000"],
  ["printer.local", "http://printer.local"],
  ["127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["10.1.2.3", "http://10.1.2.3"],
  ["172.16.0.1", "http://172.16.0.1"],
  ["192.168.178.1/index.html", "http://192.168.178.1/index.html"],
  ["[::1]:3000", "http://[::1]:3000"],
  ["intranet:8080", "http://intranet:8080"],
])("an address without a scheme gets one: %s", (typed, whole) => {
  expect(withScheme(typed)).toBe(whole);
});

test.each([
  "http://example.com",
  "HTTPS://example.com",
  "ftp://example.com/",
  "mailto:me@example.com",
  "javascript:alert(1)",
  "me@example.com",
  "not an address",
  "shop",
  "/sitemap.xml",
  "//example.com",
  "example.com:99999",
  "..",
  "",
])("what has a scheme, or is no address, stays as it is: %s", (typed) => {
  expect(withScheme(typed)).toBe(typed);
});
