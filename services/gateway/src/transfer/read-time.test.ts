import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { readTime } from "./read-time.js";

const now = Date.parse("2026-06-01T00:00:00Z");
/** The parsed time as ISO text, or what is wrong. */
function shown(value: string | number): string {
  const read = readTime(value, now);
  return read.ok ? new Date(read.ms).toISOString() : read.fault;
}

const taken: [string | number, string][] = [
  ["2026-01-02T10:00:00Z", "2026-01-02T10:00:00.000Z"],
  ["2026-01-02T10:00:00.123456789Z", "2026-01-02T10:00:00.123Z"],
  ["2026-01-02t10:00:00z", "2026-01-02T10:00:00.000Z"],
  // without a zone: SQLite, MySQL, Python, a day alone
  ["2026-01-02 10:00:00", "2026-01-02T10:00:00.000Z"],
  ["2026-01-02T10:00:00.5", "2026-01-02T10:00:00.500Z"],
  ["2026-01-02 10:00", "2026-01-02T10:00:00.000Z"],
  ["2026-01-02", "2026-01-02T00:00:00.000Z"],
  // in the hour that New York skips, and in the one that it has twice
  ["2026-03-08 02:30:00", "2026-03-08T02:30:00.000Z"],
  ["2025-11-02 01:30:00", "2025-11-02T01:30:00.000Z"],
  // PostgreSQL, RFC 2822 offsets
  ["2026-01-02 10:00:00+00", "2026-01-02T10:00:00.000Z"],
  ["2026-01-02 10:00:00.25-05", "2026-01-02T15:00:00.250Z"],
  ["2026-01-02T10:00:00 +0530", "2026-01-02T04:30:00.000Z"],
  ["2026-01-02T10:00:00+14:00", "2026-01-01T20:00:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ["1970-01-01", "1970-01-01T00:00:00.000Z"],
  [1_767_348_000_000.9, "2026-01-02T10:00:00.000Z"],
];
test.each(taken)("%j is %s", (value, expected) => expect(shown(value)).toBe(expected));

test.each<[string | number, RegExp]>([
  ["yesterday", /must be a time, as 2026-/],
  ["", /must be a time/],
  ["02.01.2026", /must be a time/],
  ["2026-01-02 10", /must be a time/],
  ["+102026-01-02T00:00:00Z", /must be a time/],
  ["2026-01-02T24:00:00Z", /hour 24; write 00:00/],
  ["2026-01-02T24:00", /hour 24/],
  ["2016-12-31T23:59:60Z", /leap second/],
  ["2026-02-30", /in no calendar \(2026-02-30\)/],
  ["2025-02-29T00:00:00Z", /in no calendar/],
  ["2026-13-01", /in no calendar/],
  ["2026-00-00", /in no calendar/],
  ["2026-01-02T25:00", /on no clock/],
  ["2026-01-02T10:60", /on no clock/],
  ["2026-01-02T10:00:61Z", /on no clock/],
  ["2026-01-02T10:00:00+24:00", /no time zone's \(\+24:00\)/],
  ["2026-01-02T10:00:00-05:60", /no time zone's/],
  ["0000-01-01", /before 1970/],
  ["1969-12-31T23:59:59Z", /before 1970/],
  ["0099-01-01", /before 1970/],
  ["9999-12-31T00:00:00Z", /in the future$/],
  ["2026-06-05 00:00", /in the future; it has no zone and is read as UTC, so write its offset/],
  [-1, /before 1970/],
  [1e300, /in the future/],
  [Number.NaN, /must be a time/],
])("%j: %s", (value, words) => expect(shown(value)).toMatch(words));

test("every time that JSON and SQL write comes back, and nothing throws", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date(now), noInvalidDate: true }), (date) => {
      const iso = date.toISOString();
      for (const text of [iso, iso.slice(0, -1), iso.replace("T", " "), iso.replace("T", " ").replace("Z", "+00")])
        expect(shown(text)).toBe(iso);
    }),
  );
  fc.assert(fc.property(fc.stringMatching(/^[0-9T:.+Z -]{0,40}$/), (text) => void shown(text)));
});

/** In a process of its own, because a process reads its time zone at its start. */
test.each(["America/New_York", "Asia/Kolkata", "Pacific/Kiritimati"])("the same on a machine in %s", async (zone) => {
  const source = stripTypeScriptTypes(await readFile(new URL("read-time.ts", import.meta.url), "utf8"));
  const program = `${source}
    const shown = [${JSON.stringify(taken)}.map(([value]) => readTime(value, ${now})), new Date("2026-01-02T10:00:00").getTime()];
    process.stdout.write(JSON.stringify(shown));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, TZ: zone, NODE_OPTIONS: "" },
  });
  const [read, local]: [{ ms: number }[], number] = JSON.parse(stdout);
  expect(read.map(({ ms }) => new Date(ms).toISOString())).toEqual(taken.map(([, expected]) => expected));
  // control: in that zone, JavaScript itself reads a time without a zone differently
  expect(local).not.toBe(Date.parse("2026-01-02T10:00:00Z"));
});
