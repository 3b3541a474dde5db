import { describe, expect, test } from "@jest/globals";
import type { Run } from "@web-tester/contracts/entities/run";
import { byDay, dayName, runAddress, runWords } from "./timeline-days.js";

const run = (part: Partial<Run>): Run => ({
  id: "r",
  testobject_id: "o",
  kind: "snapshot-all",
  state: "finished",
  total: 10,
  completed: 10,
  failed: 0,
  changed: 0,
  found: 0,
  found_new: 0,
  ended_by: null,
  started_by: "person",
  label: null,
  created_at: new Date(2026, 10, 24, 12, 0).toISOString(),
  finished_at: null,
  ...part,
});

test("runs stand by days of the reader's clock", () => {
  const at = (...of: [number, number, number, number]) => new Date(...of).toISOString();
  const runs = [at(2026, 10, 24, 0), at(2026, 10, 24, 23), at(2026, 10, 25, 0)].map((created_at) => ({ created_at }));
  expect(byDay(runs).map(([day, of]) => [day, of.length])).toEqual([
    ["2026-11-24", 2],
    ["2026-11-25", 1],
  ]);
});

test.each([
  ["2026-11-24", "Today"],
  ["2026-11-23", "Yesterday"],
  ["2026-11-22", "22.11.2026"],
  ["2026-11-25", "25.11.2026"],
])("%s is %s", (day, name) => expect(dayName(day, new Date(2026, 10, 24, 0, 5))).toBe(name));

describe("what a run did", () => {
  test.each<[Partial<Run>, string, string | undefined]>([
    [{ changed: 2, failed: 1 }, "Fetch of 10 pages: 2 changed, 1 failed", "/runs/r/review"],
    [{ total: 1 }, "Fetch of 1 page: nothing changed", "/runs/r/review"],
    [{ state: "cancelled" }, "Fetch of 10 pages: nothing changed, stopped", "/runs/r/review"],
    [{ kind: "crawl", found: 12, found_new: 3 }, "Crawl: 12 pages found, 3 new", "/objects/o?report=r"],
    [{ kind: "delete-snapshots", completed: 1, state: "running" }, "Deletion of 1 item, running", undefined],
  ])("%j", (part, words, address) => {
    expect(runWords(run(part))).toBe(words);
    expect(runAddress(run(part))).toBe(address);
  });
});
