import { expect, test } from "@jest/globals";
import { endOf } from "./token-ends.js";

const now = new Date("2030-01-01T12:00:00").getTime();

test("presets count from now", () => {
  expect(endOf("7", "", now)).toBe(new Date("2030-01-08T12:00:00").toISOString());
  expect(endOf("never", "2030-02-01", now)).toBeNull();
});

test("a day is meant to its end", () => {
  expect(endOf("date", "2030-01-01", now)).toBe(new Date("2030-01-01T23:59:59").toISOString());
});

test.each(["", "2029-12-31", "soon"])("%j is no end", (day) => {
  expect(endOf("date", day, now)).toBeUndefined();
});
