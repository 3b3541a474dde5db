import { expect, test } from "@jest/globals";
import { cacheRule, isNavigation } from "./web-app.js";

const html = "text/html,application/xhtml+xml,*/*;q=0.8";

test.each([
  ["GET", "/", html, true],
  ["GET", "/", "*/*", true], // what curl sends
  ["HEAD", "/objects/1", html, true],
  ["GET", "/apiary", html, true],
  ["GET", "/objects/api", html, true],
  ["GET", "/api/testobjects", html, false],
  ["GET", "/api", html, false],
  ["GET", "/API/x", html, false],
  ["GET", "/healthz", html, false],
  ["GET", "/config.json", html, false],
  ["GET", "/ws/console", html, false],
  ["GET", "/assets/gone.js", "*/*", false],
  ["POST", "/", html, false],
])("%s %s (%s) is a navigation: %s", (method, path, accept, expected) => {
  expect(isNavigation(method, path, accept)).toBe(expected);
});

test.each([
  ["assets/index-BqX1_a9f.js", true],
  ["assets\\index-BqX1_a9f.css", true],
  ["assets/inter-latin-DxB2y8Qz.woff2", true],
  ["assets/index-BqX1_a9f.js.map", true],
  ["index.html", false],
  ["assets/logo.svg", false],
  ["favicon-12345678.svg", false],
])("%s never changes: %s", (path, immutable) => {
  expect(cacheRule(path).includes("immutable")).toBe(immutable);
});
