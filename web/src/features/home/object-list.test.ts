import { expect, test } from "@jest/globals";
import type { Progress } from "@web-tester/contracts/entities/run";
import { byUrgency, matches, objectStatus, runningBar, totalsOf } from "./object-list.js";

const idle: Progress = { completed: 0, total: 0, failed: 0, running: false, runId: null };
const object = (name: string, changed: number, failed: number, snapshots = 10, crawling = false) => ({
  name,
  url: `https://${name}.example/`,
  tags: [`of ${name}`],
  status_counts: { changed, failed },
  history: [],
  snapshots_total: snapshots,
  instances_total: 3,
  progress: {
    snapshotAll: idle,
    crawl: crawling ? { completed: 1, total: 2, failed: 0, running: true, runId: null } : idle,
    sitemaps: idle,
    rules: idle,
    deletion: idle,
  },
});
const list = [
  object("calm", 0, 0),
  object("never", 0, 0, 0),
  object("broken", 4, 1),
  object("moved", 2, 0),
  object("busy", 0, 0, 10, true),
];

test("states go from what runs to what was never fetched", () => {
  expect(list.toSorted(byUrgency).map((each) => `${each.name} ${objectStatus(each)}`)).toEqual([
    "busy running",
    "broken failed",
    "moved changed",
    "calm unchanged",
    "never none",
  ]);
});

test("what runs has a name and its counters", () => {
  expect(runningBar(object("busy", 0, 0, 1, true))).toEqual({ name: "Crawl", completed: 1, total: 2, failed: 0 });
  expect(runningBar(object("calm", 0, 0))).toBeUndefined();
  const rules: Progress = { completed: 1, total: 2, failed: 0, running: true, runId: null, kind: "rules" };
  const running = (of: Progress) => runningBar({ progress: { ...object("calm", 0, 0).progress, rules: of } })?.name;
  expect([running(rules), running({ ...rules, kind: "noise" })]).toEqual(["Rules", "Search for noise"]);
});

test("filters combine", () => {
  expect(list.filter((each) => matches(each, "changed", "")).map((each) => each.name)).toEqual(["broken", "moved"]);
  expect(list.filter((each) => matches(each, "failing", "")).map((each) => each.name)).toEqual(["broken"]);
  expect(list.filter((each) => matches(each, "all", " CALM.ex ")).map((each) => each.name)).toEqual(["calm"]);
  expect(list.filter((each) => matches(each, "all", "Of Broken")).map((each) => each.name)).toEqual(["broken"]);
});

test("totals", () =>
  expect(totalsOf(list)).toEqual({ instances: 15, changed: 6, failing: 1, withChanges: 2, withFailures: 1 }));
