import { expect, test } from "@jest/globals";
import { lineTime } from "./line-time.js";

test("hours to milliseconds, in the reader's time zone", () => {
  expect(lineTime(new Date(2026, 10, 19, 0, 5, 8, 7).getTime())).toBe("00:05:08.007");
  expect(lineTime(new Date(2026, 10, 19, 23, 40, 58, 702).getTime())).toBe("23:40:58.702");
});
