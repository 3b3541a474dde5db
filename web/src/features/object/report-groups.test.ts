import { expect, test } from "@jest/globals";
import { listedGroups, movesOf, stackedGroups } from "./report-groups.js";

const none = {
  found: 0,
  new: 0,
  gone: 0,
  redirected: 0,
  canonical: 0,
  excluded: 0,
  denied: 0,
  "out-of-scope": 0,
  failed: 0,
  "not-html": 0,
  budget: 0,
  trap: 0,
  "too-long": 0,
  sitemap: 0,
};

test("lists that hold nothing are left out, and what failed comes first", () => {
  expect(listedGroups(none)).toEqual([]);
  expect(listedGroups({ ...none, found: 3, failed: 1, denied: 2 })).toEqual([
    { key: "failed", word: "Failed", count: 1 },
    { key: "found", word: "Found", count: 3 },
    { key: "denied", word: "Robots denied", count: 2 },
  ]);
});

test("the bar always says what is in scope, and counts budgets and traps together", () => {
  expect(stackedGroups(none).map(({ key }) => key)).toEqual(["found"]);
  const parts = stackedGroups({ ...none, found: 3, budget: 1, trap: 1, failed: 4 });
  expect(parts.map(({ key, count }) => [key, count])).toEqual([
    ["found", 3],
    ["budget", 2],
    ["failed", 4],
  ]);
});

test("nothing gone is not counted, nor is nothing new", () => {
  expect(movesOf(none)).toEqual([]);
  expect(movesOf({ ...none, new: 3 })).toEqual(["new"]);
  expect(movesOf({ ...none, gone: 2 })).toEqual(["gone"]);
  expect(movesOf({ ...none, new: 3, gone: 2 })).toEqual(["new", "gone"]);
});
