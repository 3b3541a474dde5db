import { expect, test } from "@jest/globals";
import { describeRouteFaults, routeFaults } from "./check-routes.js";

test.each<[string[], string[], { missing: string[]; doubled: string[] }]>([
  [["a", "b"], ["b", "a"], { missing: [], doubled: [] }],
  [["a", "b"], ["a"], { missing: ["b"], doubled: [] }],
  [["a", "b"], ["a", "b", "a", "a"], { missing: [], doubled: ["a"] }],
  [["a", "b"], [], { missing: ["a", "b"], doubled: [] }],
  [["a", "b", "c"], ["b", "b"], { missing: ["a", "c"], doubled: ["b"] }],
])("table %j, handlers %j", (table, handled, expected) => {
  expect(routeFaults(table, handled)).toEqual(expected);
});

test("names what is wrong, and says nothing when all is well", () => {
  expect(describeRouteFaults({ missing: [], doubled: [] })).toBeNull();
  expect(describeRouteFaults({ missing: ["crawl"], doubled: ["getDiff"] })).toMatch(
    /without a handler: crawl; with more than one handler: getDiff/,
  );
});
