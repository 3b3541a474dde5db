import { expect, test } from "@jest/globals";
import type { SearchResult } from "@web-tester/contracts/entities/search";
import { groupResults } from "./group-results.js";

const result = (instance: string, snapshot: string): SearchResult => ({
  testInstanceId: instance,
  testInstanceName: instance.toUpperCase(),
  testInstanceUrl: `https://example.org/${instance}`,
  snapshotId: snapshot,
  snapshotIndex: 0,
  snapshotNumber: 1,
  snapshotCreatedAt: "2026-01-01T00:00:00.000Z",
  matchCount: 1,
});

test("results of one page stand together, also where they come on two pages of the list, each once", () => {
  const groups = groupResults([result("a", "s3"), result("b", "s9"), result("a", "s2"), result("a", "s3")]);
  expect(
    groups.map(({ id, name, latest, others }) => [
      id,
      name,
      latest.snapshotId,
      others.map(({ snapshotId }) => snapshotId),
    ]),
  ).toEqual([
    ["a", "A", "s3", ["s2"]],
    ["b", "B", "s9", []],
  ]);
  expect(groupResults([])).toEqual([]);
});
