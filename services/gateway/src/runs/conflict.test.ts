import { expect, test } from "@jest/globals";
import type { RunKind } from "@web-tester/contracts/entities";
import { conflictOf } from "./conflict.js";

const running = (...kinds: RunKind[]) => kinds.map((kind) => ({ kind, completed: 12, total: 30 }));

test.each<[RunKind, RunKind[], RegExp | null]>([
  ["crawl", [], null],
  ["crawl", ["snapshot-all", "snapshot-one", "sitemaps"], null],
  ["crawl", ["crawl"], /^Crawling the site is still running \(12 of 30 done\).*stop it first/],
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
