import { expect, test } from "@jest/globals";
import type { RunKind } from "@web-tester/contracts/entities/vocabulary";
import { conflictOf } from "./conflict.js";

const startedAt = new Date("2026-11-21T10:12:03Z");
const running = (...kinds: RunKind[]) =>
  kinds.map((kind) => ({ id: `run-of-${kind}`, kind, startedAt, completed: 12, total: 30 }));

test.each<[RunKind, RunKind[], RegExp | null]>([
  ["crawl", [], null],
  ["crawl", ["snapshot-all", "snapshot-one", "sitemaps"], null],
  [
    "crawl",
    ["crawl"],
    /^Crawling the site has been running since 2026-11-21 10:12 UTC \(run run-of-crawl, 12 of 30 done\).*stop it first/,
  ],
  ["snapshot-all", ["crawl"], null],
  ["snapshot-all", ["snapshot-all"], /^Fetching all snapshots/],
  ["snapshot-one", ["snapshot-one", "snapshot-all"], null],
  ["snapshot-one", ["delete-snapshots"], /^Deleting all snapshots.*Wait until it is finished and try again/],
  ["crawl", ["delete-object"], /^Deleting the test object/],
  ["delete-instances", ["crawl", "snapshot-all"], null],
  ["delete-instances", ["delete-snapshots"], /^Deleting all snapshots/],
  ["delete-snapshots", ["delete-snapshots"], /^Deleting all snapshots/],
  ["delete-object", ["delete-snapshots", "delete-object", "crawl"], null],
])("%s beside %j", (kind, kinds, expected) => {
  const conflict = conflictOf(kind, running(...kinds));
  if (expected === null) expect(conflict).toBeNull();
  else expect(conflict).toMatchObject({ code: "conflict", message: expect.stringMatching(expected) });
});

test("the details name the run that is in the way", () => {
  expect(conflictOf("crawl", running("sitemaps", "crawl"))?.details).toEqual({
    runId: "run-of-crawl",
    kind: "crawl",
    startedAt: "2026-11-21T10:12:03.000Z",
    completed: 12,
    total: 30,
  });
});
