import { expect, test } from "@jest/globals";
import { headerFault, isLanguage, isTimeZone, readViewport } from "./visitor.js";

test.each([
  ["1280x900", { width: 1280, height: 900, scale: 1, isMobile: false }],
  [" 390 x 844@3 mobile", { width: 390, height: 844, scale: 3, isMobile: true }],
  ["800×600@1.5", { width: 800, height: 600, scale: 1.5, isMobile: false }],
])("%s is a window", (text, expected) => {
  expect(readViewport(text)).toEqual(expected);
});

test.each(["", "1280", "100x900", "5000x900", "1280x900@9", "1280x900 phone", "x"])("%j is none", (text) => {
  expect(readViewport(text)).toBeNull();
});

test("languages and time zones are those that browsers know", () => {
  expect([isLanguage("de-DE"), isLanguage("german!"), isLanguage("")]).toEqual([true, false, false]);
  expect([isTimeZone("Europe/Berlin"), isTimeZone("Mars/Olympus"), isTimeZone("+01:00")]).toEqual([true, false, false]);
});

test("a header is a name and a value, and none that the product sets itself", () => {
  expect([headerFault("X-Token: abc"), headerFault("Cookie: a=b; c=d")]).toEqual([null, null]);
  for (const line of [
    "no colon",
    "Bad name: x",
    "X: a\nb",
    "Host: other",
    "Proxy-Authorization: x",
    "Content-Length: 1",
  ])
    expect(headerFault(line)).toMatch(/header/);
});
