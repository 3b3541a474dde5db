import { expect, test } from "@jest/globals";
import { isSignedAddress, signAddress } from "./signed-address.js";

const now = Date.UTC(2030, 0, 1, 12, 30);
const address = "/api/testsnapshots/7/render?preview=ab";
const signed = signAddress(address, "secret", now);

test("without a token addresses stay as they are", () => {
  expect(signAddress(address, null, now)).toBe(address);
});

test("a signed address opens for one to two hours, and stays the same within an hour", () => {
  expect(signAddress(address, "secret", now + 60_000)).toBe(signed);
  expect(isSignedAddress(signed, "secret", now)).toBe(true);
  expect(isSignedAddress(signed, "secret", now + 3_600_000)).toBe(true);
  expect(isSignedAddress(signed, "secret", now + 2 * 3_600_000)).toBe(false);
});

test.each([
  ["no signature", address],
  ["another token's", signAddress(address, "other", now)],
  ["another path", signed.replace("/7/", "/8/")],
  ["another parameter", signed.replace("preview=ab", "preview=cd")],
  ["a later end", signed.replace(/expires=\d/, "expires=9")],
  ["a parameter behind it", `${signed}&preview=cd`],
  ["a cut signature", signed.slice(0, -1)],
  ["an empty one", signed.replace(/signature=.*/, "signature=")],
])("%s opens nothing", (_what, forged) => {
  expect(isSignedAddress(forged, "secret", now)).toBe(false);
});
