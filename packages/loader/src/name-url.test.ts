import { expect, test } from "@jest/globals";
import { nameUrl } from "./name-url.js";

test.each([
  ["http://me:secret@site.example:8080/a/b?token=1#c", "http://site.example:8080/a/b?…"],
  ["blob:http://site.example/6f1c", "blob:http://site.example/6f1c"],
  ["app://me:secret@site.example/a", "app:/a"],
  ["data:text/html,words", "data:text/html,words"],
  [`http://site.example/${"a".repeat(200)}`, `http://site.example/${"a".repeat(140)}…`],
])("%s is shown as %s", (url, shown) => {
  expect(nameUrl(new URL(url))).toBe(shown);
});
