import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { createLogger } from "@web-tester/platform/log/logger";
import { createErrorLog } from "./error-log.js";

const lines: { level: string; msg: string; about?: unknown; times?: number; until?: string }[] = [];
const onErrorOf = () =>
  createErrorLog(
    createLogger("tester", "info", {
      write(line) {
        lines.push(JSON.parse(line) as (typeof lines)[number]);
      },
    }),
  );

beforeEach(() => {
  lines.length = 0;
  jest.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z") });
});
afterEach(() => {
  jest.useRealTimers();
});

test("an outage is one line for each kind of error, and one that says when it was over", () => {
  const onError = onErrorOf();
  for (let second = 0; second < 30; second += 5) {
    for (const about of ["crawl", "sitemap"]) onError("messages cannot be taken", new Error("timeout"), about);
    jest.advanceTimersByTime(5_000);
  }
  expect(lines.map(({ level, msg, about }) => ({ level, msg, about }))).toEqual([
    { level: "error", msg: "messages cannot be taken", about: "crawl" },
  ]);
  jest.advanceTimersByTime(15_000);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatchObject({
    level: "warn",
    times: 12,
    about: ["crawl", "sitemap"],
    until: "2026-01-01T00:00:25.000Z",
    msg: expect.stringContaining("“messages cannot be taken” happened 12 times"),
  });
});

test("errors of different kinds and texts are all told, and a single one is no outage", () => {
  const onError = onErrorOf();
  onError("handling crawl failed", new Error("one"));
  onError("handling crawl failed", new Error("two"));
  onError("a database connection broke", new Error("one"));
  jest.advanceTimersByTime(60_000);
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    ["error", "handling crawl failed"],
    ["error", "handling crawl failed"],
    ["error", "a database connection broke"],
    ["warn", expect.stringContaining("happened 2 times")],
  ]);
});

test("an outage that lasts is told every minute, and one that comes back is told at once", () => {
  const onError = onErrorOf();
  const fail = (seconds: number) => {
    for (let second = 0; second < seconds; second += 5) {
      onError("messages cannot be taken", new Error("timeout"));
      jest.advanceTimersByTime(5_000);
    }
  };
  fail(180);
  expect(lines.map(({ level }) => level)).toEqual(["error", "error", "error"]);
  jest.advanceTimersByTime(20_000);
  fail(5);
  expect(lines.map(({ level }) => level)).toEqual(["error", "error", "error", "warn", "error"]);
});

test("texts that differ each time do not fill the log either", () => {
  const onError = onErrorOf();
  for (let page = 0; page < 500; page += 1) onError("handling crawl failed", new Error(`page ${page}`));
  expect(lines).toHaveLength(10);
  jest.advanceTimersByTime(15_000);
  expect(lines.at(-1)).toMatchObject({ level: "warn", times: 500 });
});
