import { expect, test } from "@jest/globals";
import type { ScheduleTime } from "@web-tester/contracts/entities/schedule";
import { choiceOf, timeOf } from "./schedule-choice.js";

test.each<[ScheduleTime, string]>([
  [{ type: "every", minutes: 15 }, "every"],
  [{ type: "every", minutes: 360 }, "every"],
  [{ type: "every", minutes: 2880 }, "every"],
  [{ type: "cron", cron: "30 9 * * *", time_zone: "Europe/Berlin" }, "at"],
  [{ type: "cron", cron: "5 18 * * 1,2,3,4,5", time_zone: "UTC" }, "at"],
  [{ type: "cron", cron: "*/7 9-17 * * 1-5", time_zone: "UTC" }, "cron"],
  [{ type: "cron", cron: "0 0 1 * *", time_zone: "UTC" }, "cron"],
])("%j is shown so that saving it changes nothing", (time, way) => {
  const choice = choiceOf(time);
  expect(choice.way).toBe(way);
  expect(timeOf(choice)).toEqual(time);
});

test("what is missing is no time", () => {
  const choice = choiceOf({ type: "cron", cron: "30 9 * * *", time_zone: "UTC" });
  expect(timeOf({ ...choice, days: [] })).toBeNull();
  expect(timeOf({ ...choice, clock: "" })).toBeNull();
  expect(timeOf({ ...choice, way: "cron", cron: " " })).toBeNull();
  expect(timeOf({ ...choice, way: "every", count: 0 })).toBeNull();
});
