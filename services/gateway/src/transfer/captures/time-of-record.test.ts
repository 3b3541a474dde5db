import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { timeOfRecord } from "./time-of-record.js";

const taken: readonly [string, string][] = [
  ["2015-01-02T03:04:05Z", "2015-01-02T03:04:05.000Z"],
  ["2015-01-02T03:04:05.123456789Z", "2015-01-02T03:04:05.123Z"],
  ["2015-01-02T03:04:05", "2015-01-02T03:04:05.000Z"],
  ["2015-01-02 03:04:05", "2015-01-02T03:04:05.000Z"],
  ["2015-01-02T03:04:05+05:30", "2015-01-01T21:34:05.000Z"],
  ["2015-01-02T03:04Z", "2015-01-02T03:04:00.000Z"],
  ["2015-01-02", "2015-01-02T00:00:00.000Z"],
  ["2015-02", "2015-02-01T00:00:00.000Z"],
  ["2015", "2015-01-01T00:00:00.000Z"],
  ["20150203040506", "2015-02-03T04:05:06.000Z"],
  ["Tue, 03 Feb 2015 04:05:06 GMT", "2015-02-03T04:05:06.000Z"],
];

test.each(taken)("%s", (field, expected) => {
  expect(new Date(timeOfRecord(field) ?? NaN).toISOString()).toBe(expected);
});

test.each([
  "",
  "never",
  "2015-02-30T01:00:00Z",
  "20150230010000",
  "2015-13",
  "1969-12-31T00:00:00Z",
  "Tue, 03 Feb 2015",
])("no time: %j", (field) => expect(timeOfRecord(field)).toBeNull());

/** In a process of its own, because a process reads its time zone at its start. */
test("the same on a machine in Kolkata", async () => {
  const sources = ["../read-time.ts", "time-of-record.ts"].map(async (name) =>
    stripTypeScriptTypes(await readFile(new URL(name, import.meta.url), "utf8")).replaceAll(/^import .+$/gm, ""),
  );
  const [readTime = "", own = ""] = await Promise.all(sources);
  const program = `${readTime}\n${own}
    const shown = [...${JSON.stringify(taken)}.map(([field]) => timeOfRecord(field)), Date.parse("2015-01-02T03:04:05")];
    process.stdout.write(JSON.stringify(shown));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, TZ: "Asia/Kolkata", NODE_OPTIONS: "" },
  });
  const read: number[] = JSON.parse(stdout);
  // control: in that zone, JavaScript itself reads a time without a zone differently
  expect(read.pop()).not.toBe(Date.parse("2015-01-02T03:04:05Z"));
  expect(read.map((ms) => new Date(ms).toISOString())).toEqual(taken.map(([, expected]) => expected));
});
