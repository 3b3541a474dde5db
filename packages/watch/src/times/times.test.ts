import { describe, expect, test } from "@jest/globals";
import { type ScheduleInput, scheduleInput } from "@web-tester/contracts/entities/schedule";
import fc from "fast-check";
import { checkSchedule } from "./check-schedule.js";
import { describeSchedule } from "./describe-schedule.js";
import { dueTimes, nextDue } from "./due-times.js";
import { dueAfter, firstDue } from "./first-due.js";
import { jitterOf } from "./jitter.js";
import { quietUntil } from "./quiet-until.js";

const every = (minutes: number, more: object = {}): ScheduleInput =>
  scheduleInput.parse({ work: "fetch", time: { type: "every", minutes }, ...more });
const cron = (expression: string, zone = "UTC", more: object = {}): ScheduleInput =>
  scheduleInput.parse({ work: "fetch", time: { type: "cron", cron: expression, time_zone: zone }, ...more });
const times = (schedule: ScheduleInput, from: string, count: number) =>
  dueTimes(schedule, new Date(from), count).map((time) => time.toISOString().slice(0, 16));
const night = (from: string, until: string, zone = "UTC") => ({ quiet: { from, until, time_zone: zone } });

describe("due times", () => {
  test("every so many minutes are the same ones from wherever they are asked for", () => {
    expect(times(every(15), "2026-11-24T10:07:00Z", 3)).toEqual([
      "2026-11-24T10:15",
      "2026-11-24T10:30",
      "2026-11-24T10:45",
    ]);
    expect(times(every(15), "2026-11-24T10:15:00Z", 1)).toEqual(["2026-11-24T10:30"]);
  });

  test.each([
    // clocks are put forward at 02:00: 02:30 does not exist
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-03-30T00:30"]],
    // clocks are put back at 03:00: 02:30 occurs twice
    ["30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
    ["30 2 * * *", "America/New_York", "2026-03-07T12:00Z", ["2026-03-08T07:00", "2026-03-09T06:30"]],
    ["30 1 * * *", "America/New_York", "2026-10-31T12:00Z", ["2026-11-01T05:30", "2026-11-02T06:30"]],
    // clocks are changed by half an hour
    ["45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00Z", ["2026-04-04T14:45", "2026-04-05T15:15"]],
  ])("%s in %s keeps the time of day over a change of clocks, once a day", (expression, zone, from, expected) => {
    expect(times(cron(expression, zone), from, 2)).toEqual(expected);
  });

  test("a daily time comes once on each of the 365 days, in every zone with a change of clocks", () => {
    for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Cairo"])
      for (const hour of [0, 1, 2, 3]) {
        const days = dueTimes(cron(`30 ${hour} * * *`, zone), new Date("2026-01-01T12:00Z"), 365).map((time) =>
          new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(time),
        );
        expect(new Set(days).size).toBe(365);
      }
  });

  test.each([
    // clocks are put forward at 23:00 to midnight: 23:30 does not exist
    ["30 23 * * *", "America/Nuuk", "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-03-30T00:30"]],
    ["30 23 * * 6", "America/Nuuk", "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-04-05T00:30"]],
    ["30 9,23 * * *", "America/Nuuk", "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-03-29T10:30"]],
    // clocks are put forward at midnight: 00:00 and 00:30 do not exist
    ["0 0 * * 5", "Africa/Cairo", "2026-04-22T12:00Z", ["2026-04-23T22:00", "2026-04-30T21:00"]],
    ["30 0,12 * * *", "Africa/Cairo", "2026-04-23T12:00Z", ["2026-04-23T22:00", "2026-04-24T09:30"]],
    // lists and ranges are times of day, too
    ["30 2,14 * * *", "Europe/Berlin", "2026-03-28T14:00Z", ["2026-03-29T01:00", "2026-03-29T12:30"]],
    ["30 2,14 * * *", "Europe/Berlin", "2026-10-24T14:00Z", ["2026-10-25T00:30", "2026-10-25T13:30"]],
    ["0 2-3 * * *", "Europe/Berlin", "2026-03-28T14:00Z", ["2026-03-29T01:00", "2026-03-30T00:00"]],
    ["0 1-3 * * *", "Europe/Berlin", "2026-10-25T00:00Z", ["2026-10-25T02:00", "2026-10-26T00:00"]],
  ])("%s in %s loses no time of day and has none twice where clocks change", (expression, zone, from, expected) => {
    expect(times(cron(expression, zone), from, 2)).toEqual(expected);
  });

  test("an interval goes on through the hour that is there twice", () => {
    const found = dueTimes(cron("*/30 * * * *", "Europe/Berlin"), new Date("2026-10-24T23:10Z"), 6);
    const gaps = found.slice(1).map((time, index) => time.getTime() - (found[index]?.getTime() ?? 0));
    expect(new Set(gaps)).toEqual(new Set([30 * 60_000]));
  });

  test("none falls into quiet hours, and none outside is left out", () => {
    const minute = fc.integer({ min: 0, max: 1439 });
    const clock = (of: number) => `${String(Math.floor(of / 60)).padStart(2, "0")}:${String(of % 60).padStart(2, "0")}`;
    fc.assert(
      fc.property(minute, minute, fc.constantFrom(5, 7, 30, 60, 240), minute, (from, until, minutes, start) => {
        const quiet = { from: clock(from), until: clock(until), time_zone: "UTC" };
        const isQuiet = (at: Date) => {
          const now = at.getUTCHours() * 60 + at.getUTCMinutes();
          return from < until ? now >= from && now < until : now >= from || now < until;
        };
        const after = new Date(Date.UTC(2026, 4, 1) + start * 60_000);
        const all = dueTimes(every(minutes), after, 2_000 / minutes);
        const loud = all.filter((at) => !isQuiet(at));
        expect(dueTimes(every(minutes, { quiet }), after, loud.length)).toEqual(loud);
      }),
      { numRuns: 60 },
    );
  });

  test("quiet hours end in their own zone, also in the night in which clocks change", () => {
    const { quiet } = night("22:00", "06:00", "Europe/Berlin");
    expect(quietUntil(quiet, new Date("2026-10-24T23:00Z"))).toEqual(new Date("2026-10-25T05:00Z"));
    expect(quietUntil(quiet, new Date("2026-10-25T05:00Z"))).toBeNull();
    // 02:30 occurs twice: the hours end at both, not a day later
    const short = night("22:00", "02:30", "Europe/Berlin").quiet;
    expect(quietUntil(short, new Date("2026-10-24T22:00Z"))).toEqual(new Date("2026-10-25T00:30Z"));
    expect(quietUntil(short, new Date("2026-10-25T01:00Z"))).toEqual(new Date("2026-10-25T01:30Z"));
    // 02:30 does not exist
    expect(quietUntil(short, new Date("2026-03-28T22:00Z"))).toEqual(new Date("2026-03-29T01:00Z"));
    // 23:30 does not exist, and the time after it is on the next day
    const nuuk = night("20:00", "23:30", "America/Nuuk").quiet;
    expect(quietUntil(nuuk, new Date("2026-03-29T00:00Z"))).toEqual(new Date("2026-03-29T01:00Z"));
  });

  test("strictly later than the moment, for any schedule", () => {
    const schedule = fc.oneof(
      fc.integer({ min: 1, max: 100_000 }).map((minutes) => every(minutes)),
      fc
        .constantFrom("*/7 * * * *", "0 9 * * 1-5", "5 4 1 * *", "0 0 29 2 *")
        .map((text) => cron(text, "Europe/Berlin")),
    );
    fc.assert(
      fc.property(
        schedule,
        fc.date({ min: new Date(0), max: new Date("2090-01-01"), noInvalidDate: true }),
        (of, after) => {
          expect(nextDue(of, after)?.getTime()).toBeGreaterThan(after.getTime());
        },
      ),
      { numRuns: 200 },
    );
  });
});

test.each([
  [cron("61 * * * *"), /^The minute \(field 1 of 5\) cannot be “61”: allowed are numbers from 0 to 59, /],
  [cron("0 25 * * *"), /^The hour \(field 2 of 5\) cannot be “25”: allowed are numbers from 0 to 23, /],
  [cron("0 22-2 * * *"), /^The hour .* cannot be “22-2”: .*ranges upwards \(8-17\)/],
  [cron("0 9 32 * *"), /^The day of the month \(field 3 of 5\) cannot be “32”: allowed are numbers from 1 to 31, /],
  [cron("0 9 0 * *"), /^The day of the month .* cannot be “0”/],
  [cron("0 9 * 13 *"), /^The month \(field 4 of 5\) cannot be “13”: allowed are numbers from 1 to 12, names/],
  [cron("0 9 * * FRIDAY"), /^The day of the week \(field 5 of 5\) cannot be “FRIDAY”: .* names \(MON\)/],
  [cron("H 9 * * *"), /^The minute .* cannot be “H”: .* steps \(\*\/15\) and \* for each$/],
  [cron("5/10 * * * *"), /^The minute .* cannot be “5\/10”/],
  // the first of two
  [cron("0 24 * * 8"), /^The hour .* cannot be “24”/],
  [cron("@often"), /^“@often” is no short form .*@hourly, @daily/],
  [cron("* * * *"), /five fields.*has 4/],
  [cron("0 0 0 * * *"), /five fields.*has 6/],
  [cron("0 0 31 2 *"), /never be due/],
  [cron("30 23 * * *", "UTC", night("22:00", "06:00")), /quiet hours from 22:00 until 06:00/],
  [every(60, night("00:00", "00:00")), /quiet hours/],
  [every(60, { work: "fetch-path" }), /which pages/],
])("%j is refused in words", (schedule, words) => {
  expect(checkSchedule(schedule, new Date("2026-11-24T00:00Z"))?.message).toMatch(words);
});

test.each([
  [every(15), "Every 15 minutes"],
  [every(60), "Every hour"],
  [every(2880), "Every 2 days"],
  [cron("0 6 * * *", "UTC"), "Every day at 06:00 (UTC)"],
  [cron("0 6,18 * * *", "UTC"), "Every day at 06:00 and 18:00 (UTC)"],
  [cron("0 6 1 * *", "UTC"), "At 06:00, on day 1 of the month (UTC)"],
  [cron("0 6-8 * * *", "UTC"), "Every hour, between 06:00 and 08:00 (UTC)"],
  [cron("0\t6  * * *", "UTC"), "Every day at 06:00 (UTC)"],
  [cron("@daily", "UTC"), "At 00:00 (UTC)"],
  [cron("0 9 ? ? ?", "UTC"), "By the cron expression 0 9 ? ? ? (UTC)"],
  [cron("0 9 1 * +MON", "UTC"), "By the cron expression 0 9 1 * +MON (UTC)"],
  [cron("30 9 * * 1-5", "Europe/Berlin"), "At 09:30, Monday through Friday (Europe/Berlin)"],
  [
    every(5, { ...night("22:00", "06:00"), jitter_minutes: 10 }),
    "Every 5 minutes, not between 22:00 and 06:00 (UTC), up to 10 minutes later",
  ],
])("%j in words", (schedule, words) => {
  expect(checkSchedule(schedule, new Date("2026-11-24T00:00Z"))).toBeNull();
  expect(describeSchedule(schedule)).toBe(words);
});

test("runs of one due time are spread evenly over the time that they may be late", () => {
  const buckets = Array.from({ length: 10 }, () => 0);
  for (let index = 0; index < 10_000; index++) {
    const late = jitterOf(`0198f7d2-0000-7000-8000-${index.toString(16).padStart(12, "0")}`, 10) / 60_000;
    buckets[Math.floor(late)] = (buckets[Math.floor(late)] ?? 0) + 1;
  }
  expect(Math.min(...buckets)).toBeGreaterThan(850);
  expect(Math.max(...buckets)).toBeLessThan(1_150);
  expect(jitterOf("a", 0)).toBe(0);
});

test("runs that begin later than they are due are as many as due times, also where they are later than the next one is due", () => {
  const spec = every(5, { jitter_minutes: 60 });
  const late = Array.from({ length: 50 }, (_, index) => `schedule ${index}`).map((id) => ({
    id,
    ms: jitterOf(id, 60),
  }));
  const { id, ms } = late.find((each) => each.ms > 20 * 60_000) ?? { id: "", ms: 0 };
  let due = firstDue(id, spec, new Date("2026-11-24T10:01Z"));
  const begun: number[] = [];
  for (let run = 0; run < 4 && due !== null; run++) {
    begun.push(due.beginsAt.getTime() - ms);
    due = dueAfter(id, spec, due.dueAt, new Date(due.beginsAt.getTime() + 700));
  }
  expect(begun.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual(["10:05", "10:10", "10:15", "10:20"]);
  // after an outage: one run, and the next one is still to come
  const back = new Date("2026-11-24T15:00:00Z");
  const next = dueAfter(id, spec, new Date("2026-11-24T10:05Z"), back);
  expect(next?.beginsAt.getTime()).toBeGreaterThan(back.getTime());
  expect(next?.beginsAt.getTime()).toBeLessThanOrEqual(back.getTime() + 5 * 60_000);
});

test("what may be late begins before quiet hours, not in them", () => {
  const spec = cron("55 21 * * *", "UTC", { ...night("22:00", "06:00"), jitter_minutes: 60 });
  const begins = Array.from({ length: 50 }, (_, index) =>
    firstDue(`schedule ${index}`, spec, new Date("2026-11-24T10:00Z"))?.beginsAt.toISOString().slice(11, 16),
  );
  expect(begins.filter((at = "") => at < "21:55" || at >= "22:00")).toEqual([]);
  expect(new Set(begins).size).toBeGreaterThan(1);
});

test("a paused schedule is never due", () => {
  expect(firstDue("a", every(5, { paused: true }), new Date())).toBeNull();
  expect(firstDue("a", every(5), new Date("2026-11-24T00:01Z"))?.dueAt).toEqual(new Date("2026-11-24T00:05Z"));
});
