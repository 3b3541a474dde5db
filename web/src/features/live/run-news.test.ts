import { expect, test } from "@jest/globals";
import type { ProductEvent } from "@web-tester/contracts/socket";
import { newsOf, nothingTold } from "./run-news.js";

const testobjectId = "0190b0f0-0000-7000-8000-000000000001";
const runId = "0190b0f0-0000-7000-8000-000000000002";
const never = () => false;
const none = { completed: 0, total: 0, failed: 0, running: false, runId: null };
const idle = { snapshotAll: none, crawl: none, sitemaps: none, rules: none, deletion: none };
const counters = { testobjectId, runId, total: 9, completed: 9, failed: 2, running: false };
const end: Record<string, ProductEvent> = {
  crawl: { type: "crawl:progress", ...counters, found: 7 },
  sitemaps: { type: "sitemaps:completed", ...counters, failed: 0 },
  fetch: { type: "fetch:progress", ...counters, changed: 1 },
  rules: { type: "rules:progress", ...counters, failed: 0 },
  noise: { type: "rules:progress", ...counters, failed: 0, kind: "noise" },
  deletion: { type: "deleteAll:completed", ...counters, failed: 0, mode: "snapshots" },
};

test.each([
  ["crawl", "success", "Crawl completed! Found 7 page(s)."],
  ["sitemaps", "success", "Sitemap crawl completed! Found 9 URL(s)."],
  ["fetch", "warning", "Successfully fetched 7 snapshot(s)! 2 failed."],
  ["rules", "success", "Rules applied to the history of 9 page(s)."],
  ["noise", "success", "Looked for noise in 9 page(s)."],
  ["deletion", "success", "Deleted 9 snapshot(s)."],
])("the end of a %s is told once", (name, type, message) => {
  const event = end[name];
  if (event === undefined) throw new Error("no such event");
  const told = nothingTold();
  expect(newsOf(idle, [event, event], never, told)).toEqual([expect.objectContaining({ type, message })]);
  expect(newsOf(idle, [event], never, told)).toEqual([]);
  expect(newsOf(undefined, [event], never, nothingTold())).toEqual([]);
  expect(newsOf(idle, [event], () => true, nothingTold())).toEqual([]);
  const begun: ProductEvent = { type: "snapshotAll:queued", testobjectId, runId, created: 9 };
  expect(newsOf(idle, [begun], never, nothingTold())).toEqual([]);
});

test("what found nothing, or removed nothing, is no success", () => {
  const told = (event: ProductEvent) => newsOf(idle, [event], never, nothingTold()).map(({ type }) => type);
  expect(told({ type: "sitemaps:completed", ...counters, found: 0 })).toEqual(["info"]);
  expect(told({ type: "crawl:progress", ...counters, found: 0 })).toEqual(["info"]);
  const gone = { ...counters, total: 0, completed: 0, failed: 0 };
  expect(told({ type: "deleteAll:completed", ...gone, mode: "snapshots" })).toEqual(["info"]);
  expect(told({ type: "deleteAll:completed", ...gone, mode: "object" })).toEqual([]);
});

test("all pages of a fetch came: that is a success", () => {
  const event: ProductEvent = { type: "fetch:progress", ...counters, failed: 0, changed: 1 };
  expect(newsOf(idle, [event], never, nothingTold())).toEqual([
    { type: "success", message: "Successfully fetched 9 snapshot(s)!" },
  ]);
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
  expect(newsOf(idle, [event], never, nothingTold())).toEqual([
    { type: "success", message: "Snapshot fetched successfully" },
  ]);
});

test("a run of failures only is one error that leads to them", () => {
  const event: ProductEvent = { type: "fetch:progress", ...counters, failed: 9, changed: 0 };
  expect(newsOf(idle, [event], never, nothingTold())).toEqual([
    {
      type: "error",
      message: "9 pages failed.",
      link: { to: `/objects/${testobjectId}?status=failed`, label: "Show them" },
    },
  ]);
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
  expect(newsOf(undefined, [event], never, nothingTold())).toEqual([
    { type: "error", message: "Failed to fetch snapshot: https://a.example/x" },
  ]);
  expect(newsOf(idle, [{ ...event, url: "" }], never, nothingTold())[0]?.message).toBe(
    "Failed to fetch snapshot: unknown",
  );
});

test("of a fetch of many pages the first failure is told, the others are counted at its end", () => {
  const failure = (url: string): ProductEvent => ({
    ...{ type: "fetch:error", testobjectId, testinstanceId: runId, snapshotId: runId },
    ...{ url, message: "HTTP 500" },
  });
  const going = { ...idle, snapshotAll: { completed: 1, total: 9, failed: 0, running: true, runId } };
  const told = nothingTold();
  const failures = ["a", "b", "c"].map((name) => failure(`https://a.example/${name}`));
  expect(newsOf(going, failures, never, told)).toEqual([
    { type: "error", message: "Failed to fetch snapshot: https://a.example/a" },
  ]);
  expect(newsOf(going, failures, never, told)).toEqual([]);
});
