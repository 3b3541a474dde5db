import { expect, test } from "@jest/globals";
import { parseSmtpUrl } from "./smtp-url.js";

test.each([
  ["smtp://u:p@h", { host: "h", port: 587, security: "starttls", user: "u", password: "p" }],
  ["smtps://u%40x:50%25@[::1]", { host: "::1", port: 465, security: "tls", user: "u@x", password: "50%" }],
  ["smtp://h:25?security=none", { host: "h", port: 25, security: "none", user: "", password: "" }],
])("the mail server %s is read", (url, server) => {
  expect(parseSmtpUrl(url)).toEqual(server);
});

test.each([
  ["http://a", /write smtp:/],
  ["smtp://", /write smtp:/],
  ["smtp://u:p@h?security=none", /never sent in the clear/],
  ["smtp://u:50%off@h", /%25/],
])("the mail server %s is refused in words without the password", (url, words) => {
  expect(() => parseSmtpUrl(url)).toThrow(words);
  expect(() => parseSmtpUrl(url)).not.toThrow(/50%off/);
});
