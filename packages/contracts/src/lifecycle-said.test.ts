import { expect, test } from "@jest/globals";
import { lifecycleSaid, readSaid, saidAt } from "./lifecycle-said.js";

const at = new Date("2026-03-01T08:05:00Z");

test.each(Object.entries(lifecycleSaid).filter(([, text]) => !text.includes("{at}")))("%s is found", (code, text) => {
  expect(readSaid(text)).toEqual({ code, at: null });
});

test.each(["goneSince", "hiddenAgain"] as const)("%s is found with its time", (code) => {
  expect(readSaid(saidAt(code, at))).toEqual({ code, at });
  expect(readSaid(`${saidAt(code, at)}, or so`)).toBeUndefined();
});

test("texts that are the same in every language are left alone", () => {
  expect(readSaid("HTTP 404")).toBeUndefined();
  expect(readSaid("")).toBeUndefined();
});
