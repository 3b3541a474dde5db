import { describe, expect, jest, test } from "@jest/globals";
import { formatDate, formatDuration, formatRemaining, formatExactly, formatRelative } from "./dates.js";

describe("formatDate", () => {
  test("writes day, month, year, hour and minute in the reader's zone", () => {
    expect(formatDate(new Date(2026, 10, 5, 7, 3, 59))).toBe("05.11.2026 07:03");
    expect(formatDate(new Date(2026, 0, 31, 23, 59).toISOString())).toBe("31.01.2026 23:59");
    expect(formatDate(new Date(2026, 0, 31, 0, 0).getTime())).toBe("31.01.2026 00:00");
  });
  test.each([[null], [undefined], [""], ["yesterday"], ["2026-13-45"], [Number.NaN], [new Date("x")]])(
    "%p is no date",
    (value) => expect(formatDate(value)).toBe("-"),
  );
});

test.each([
  [0, "0 ms"],
  [411.6, "412 ms"],
  [1000, "1.0 s"],
  [30_000, "30.0 s"],
  [59_949, "59.9 s"],
  [59_960, "1 min 0 s"],
  [252_000, "4 min 12 s"],
  [3_600_000, "1 h 0 min"],
  [-1, "-"],
  [Number.NaN, "-"],
  [null, "-"],
])("%p ms take %p", (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [0, 100, 10_000, undefined],
  [10, 100, 500, undefined],
  [100, 100, 10_000, undefined],
  [50, 100, 10_000, "About 10 s left"],
  [99, 100, 100_000, "About 5 s left"],
  [96, 342, 70_000, "About 3 min left"],
  [1, 1000, 30_000, "About 8 h left"],
])("%p of %p after %p ms: %p", (done, total, elapsed, text) =>
  expect(formatRemaining(done, total, elapsed)).toBe(text),
);

test.each([
  [0, "just now"],
  [-59, "just now"],
  [-60, "1 minute ago"],
  [-7_199, "1 hour ago"],
  [-86_400, "yesterday"],
  [-20 * 86_400, "2 weeks ago"],
  [7_200, "in 2 hours"],
])("%i s from now is said as %j", (seconds, words) => {
  const now = Date.UTC(2026, 10, 24);
  expect(formatRelative(now + seconds * 1_000, now)).toBe(words);
});

test("exactly is with seconds and a zone", () => {
  expect(formatExactly("2026-11-24T10:11:12Z")).toMatch(/^\d\d\.11\.2026 \d\d:11:12 \S/);
});

test("a list asks for no new format in each of its rows", () => {
  const made = [jest.spyOn(Intl, "DateTimeFormat"), jest.spyOn(Intl, "RelativeTimeFormat")];
  const row = () => `${formatExactly("2026-11-24T10:11:12Z")} ${formatRelative("2026-11-20T10:11:12Z", Date.now())}`;
  row();
  const before = made.map(({ mock }) => mock.calls.length);
  row();
  expect(made.map(({ mock }) => mock.calls.length)).toEqual(before);
  jest.restoreAllMocks();
});
