import { expect, test } from "@jest/globals";
import { encodedPart } from "./encoded-part.js";

test.each([
  ["/shop/page?a=b", "/shop/page?a=b"],
  ["/über-uns/", "/%C3%BCber-uns/"],
  ["/u\u0308ber", "/%C3%BCber"],
  ["/مرحبا/1", "/%D9%85%D8%B1%D8%AD%D8%A8%D8%A7/1"],
  ["/%C3%BCber 100%", "/%C3%BCber 100%"],
  ["/\u{1F600}", "/%F0%9F%98%80"],
  ["/\uD83D", "/%EF%BF%BD"],
])("%s is stored as %s", (typed, stored) => {
  expect(encodedPart(typed)).toBe(stored);
});

test("it is what addresses are stored as", () => {
  const path = "/über-uns/مرحبا/日本/page";
  expect(new URL(`http://site.test${path}`).pathname).toBe(encodedPart(path));
});
