import { expect, test } from "@jest/globals";
import type { ObjectProgress, Progress } from "@web-tester/contracts/entities";
import type { ProductEvent } from "@web-tester/contracts/socket";
import { newsOf } from "./run-news.js";

const testobjectId = "0190b0f0-0000-7000-8000-000000000001";
const runId = "0190b0f0-0000-7000-8000-000000000002";
const idle: Progress = { completed: 0, total: 0, failed: 0, running: false, runId: null };
const running: Progress = { completed: 1, total: 9, failed: 0, running: true, runId };
const with_ = (part: Partial<ObjectProgress>): ObjectProgress => ({
  snapshotAll: idle,
  crawl: idle,
  sitemaps: idle,
  deletion: idle,
  ...part,
});
const never = () => false;
const counters = { testobjectId, runId, total: 9, completed: 9, failed: 2, running: false };
const end: Record<string, ProductEvent> = {
  crawl: { type: "crawl:progress", ...counters, found: 7 },
  sitemaps: { type: "sitemaps:completed", ...counters, failed: 0 },
  fetch: { type: "fetch:progress", ...counters, changed: 1 },
  deletion: { type: "deleteAll:completed", ...counters, failed: 0, mode: "snapshots" },
};

test.each([
  ["crawl", with_({ crawl: running }), "Crawl completed! Found 7 page(s)."],
  ["sitemaps", with_({ sitemaps: running }), "Sitemap crawl completed! Found 9 URL(s)."],
  ["fetch", with_({ snapshotAll: running }), "Successfully fetched 7 snapshot(s)!"],
  ["deletion", with_({ deletion: running }), "Deleted 9 snapshot(s)."],
])("the end of a %s is told once", (name, before, message) => {
  const event = end[name];
  if (event === undefined) throw new Error("no such event");
  expect(newsOf(before, [event, event], never)).toEqual([{ type: "success", message }]);
  expect(newsOf(undefined, [event], never)).toEqual([]);
  expect(newsOf(before, [event], () => true)).toEqual([]);
});

test("one snapshot has its own words", () => {
  const event: ProductEvent = {
    type: "fetch:progress",
    testobjectId,
    runId,
    total: 1,
    completed: 1,
    failed: 0,
    running: false,
    changed: 0,
  };
  expect(newsOf(with_({ snapshotAll: { ...running, total: 1, completed: 0 } }), [event], never)).toEqual([
    { type: "success", message: "Snapshot fetched successfully" },
  ]);
});

test("a run of failures only is no success", () => {
  const event: ProductEvent = { type: "fetch:progress", ...counters, failed: 9, changed: 0 };
  expect(newsOf(with_({ snapshotAll: running }), [event], never)).toEqual([]);
});

test("a failed fetch names its address, known object or not", () => {
  const event: ProductEvent = {
    type: "fetch:error",
    testobjectId,
    testinstanceId: runId,
    snapshotId: runId,
    url: "https://a.example/x",
    message: "HTTP 404",
  };
  expect(newsOf(undefined, [event], never)).toEqual([
    { type: "error", message: "Failed to fetch snapshot: https://a.example/x" },
  ]);
  expect(newsOf(with_({}), [{ ...event, url: "" }], never)[0]?.message).toBe("Failed to fetch snapshot: unknown");
});
