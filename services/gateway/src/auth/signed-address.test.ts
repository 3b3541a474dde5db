import { expect, test } from "@jest/globals";
import { readSigned, signAddress } from "./signed-address.js";

const now = Date.UTC(2030, 0, 1, 12, 30);
const address = "/api/testsnapshots/7/render?preview=ab";
const key = Buffer.alloc(32, 1);
const by = "0198c0de-0000-7000-8000-000000000000";
const signed = signAddress(address, key, null, now);

test("a signed address opens for one to two hours, and stays the same within an hour", () => {
  expect(signAddress(address, key, null, now + 60_000)).toBe(signed);
  expect(readSigned(signed, key, now)).toEqual({ by: null });
  expect(readSigned(signed, key, now + 3_600_000)).toEqual({ by: null });
  expect(readSigned(signed, key, now + 2 * 3_600_000)).toBeNull();
});

test("it tells whom it was made for, and nobody else can be put there", () => {
  const own = signAddress(address, key, by, now);
  expect(readSigned(own, key, now)).toEqual({ by });
  expect(readSigned(own.replace(by, by.replace("c0de", "beef")), key, now)).toBeNull();
  expect(readSigned(own.replace(`by=${by}&`, ""), key, now)).toBeNull();
});

test.each([
  ["no signature", address],
  ["another key's", signAddress(address, Buffer.alloc(32, 2), null, now)],
  ["another path", signed.replace("/7/", "/8/")],
  ["another parameter", signed.replace("preview=ab", "preview=cd")],
  ["a later end", signed.replace(/expires=\d/, "expires=9")],
  ["a parameter behind it", `${signed}&preview=cd`],
  ["a cut signature", signed.slice(0, -1)],
  ["an empty one", signed.replace(/signature=.*/, "signature=")],
])("%s opens nothing", (_what, forged) => {
  expect(readSigned(forged, key, now)).toBeNull();
});
