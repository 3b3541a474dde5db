import { expect, test } from "@jest/globals";
import type { ProductEvent } from "@web-tester/contracts/socket";
import { newsOf } from "./run-news.js";

const testobjectId = "0190b0f0-0000-7000-8000-000000000001";
const runId = "0190b0f0-0000-7000-8000-000000000002";
const never = () => false;
const counters = { testobjectId, runId, total: 9, completed: 9, failed: 2, running: false };
const end: Record<string, ProductEvent> = {
  crawl: { type: "crawl:progress", ...counters, found: 7 },
  sitemaps: { type: "sitemaps:completed", ...counters, failed: 0 },
  fetch: { type: "fetch:progress", ...counters, changed: 1 },
  rules: { type: "rules:progress", ...counters, failed: 0 },
  deletion: { type: "deleteAll:completed", ...counters, failed: 0, mode: "snapshots" },
};

test.each([
  ["crawl", "Crawl completed! Found 7 page(s)."],
  ["sitemaps", "Sitemap crawl completed! Found 9 URL(s)."],
  ["fetch", "Successfully fetched 7 snapshot(s)!"],
  ["deletion", "Deleted 9 snapshot(s)."],
])("the end of a %s is told once", (name, message) => {
  const event = end[name];
  if (event === undefined) throw new Error("no such event");
  const told = new Set<string | null>();
  expect(newsOf(true, [event, event], never, told)).toEqual([{ type: "success", message }]);
  expect(newsOf(true, [event], never, told)).toEqual([]);
  expect(newsOf(false, [event], never, new Set())).toEqual([]);
  expect(newsOf(true, [event], () => true, new Set())).toEqual([]);
  const begun: ProductEvent = { type: "snapshotAll:queued", testobjectId, runId, created: 9 };
  expect(newsOf(true, [begun], never, new Set())).toEqual([]);
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
  expect(newsOf(true, [event], never, new Set())).toEqual([
    { type: "success", message: "Snapshot fetched successfully" },
  ]);
});

test("a run of failures only is no success", () => {
  const event: ProductEvent = { type: "fetch:progress", ...counters, failed: 9, changed: 0 };
  expect(newsOf(true, [event], never, new Set())).toEqual([]);
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
  expect(newsOf(false, [event], never, new Set())).toEqual([
    { type: "error", message: "Failed to fetch snapshot: https://a.example/x" },
  ]);
  expect(newsOf(true, [{ ...event, url: "" }], never, new Set())[0]?.message).toBe("Failed to fetch snapshot: unknown");
});
