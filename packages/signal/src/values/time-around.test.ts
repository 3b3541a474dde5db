import { expect, test } from "@jest/globals";
import { timeAround } from "./time-around.js";

const found = (text: string, part: string) => {
  const at = text.indexOf(part);
  const range = timeAround(text, at, at + part.length);
  return range === null ? null : text.slice(...range);
};

test("the date, time or relative time around a place, however far into the text it is and however often it is asked for", () => {
  for (const before of ["", "<p>Made ", "x ".repeat(500)])
    for (let times = 0; times < 2; times += 1) {
      expect(found(`${before}on 24 Nov 2026, 10:05 by us`, "05")).toBe("24 Nov 2026, 10:05");
      expect(found(`${before}so 3 minutes ago it was`, "3")).toBe("3 minutes ago");
      expect(found(`${before}and 3 apples on 24 Nov 2026`, "3")).toBeNull();
      expect(found(`${before}and 3 apples on 24 Nov 2026`, "24")).toBe("24 Nov 2026");
    }
});

test("a place that is longer than any time is part of none", () => {
  const text = "10:05 ".repeat(100);
  expect(timeAround(text, 0, 300)).toBeNull();
  expect(timeAround(text, 0, 2)).toEqual([0, 5]);
});
