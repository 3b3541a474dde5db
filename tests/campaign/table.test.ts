import { expect, test } from "@jest/globals";
import { createRandom } from "./random.ts";
import type { RoundResult } from "./round.ts";
import { rowsOf, tableOf } from "./table.ts";

const round = (fault: string, afterMs: number, findings: RoundResult["findings"] = []): RoundResult => ({
  fault,
  round: 0,
  plan: "",
  where: "",
  struckAtMs: 0,
  lastedMs: 0,
  afterMs,
  nextMs: 500,
  wallMs: 0,
  findings,
  notes: [],
});

test("what the work takes undisturbed is taken off; a round counts once however much it found", () => {
  const found = [
    { kind: "lost", what: "a" },
    { kind: "lost", what: "b" },
    { kind: "stuck", what: "c" },
  ] as const;
  const results = [
    round("nothing", 2_000),
    round("nothing", 4_000),
    round("nothing", 9_000),
    round("kill-x", 5_000),
    round("kill-x", 3_000, [...found]),
    round("kill-x", 34_000),
  ];
  expect(rowsOf(results)).toEqual([
    { fault: "nothing", rounds: 3, lost: 0, doubled: 0, stuck: 0, median: 4, worst: 9, next: 0.5 },
    { fault: "kill-x", rounds: 3, lost: 1, doubled: 0, stuck: 1, median: 1, worst: 30, next: 0.5 },
  ]);
  const table = tableOf(results, new Map([["full-disk", "no root"]]));
  expect(table).toMatch(/^all faults +3 +1 +0 +1 +1\.0 +30\.0 +0\.5$/m);
  expect(table).toContain("full-disk: not run: no root");
});

test("the same seed draws the same, another one something else", () => {
  const draw = (seed: string) => {
    const random = createRandom(seed);
    return [
      random.between(1, 5),
      random.whole(1, 100),
      random.pick(["a", "b", "c"]),
      random.shuffled([1, 2, 3, 4, 5, 6]),
    ];
  };
  expect(draw("7 kill-x 0")).toEqual(draw("7 kill-x 0"));
  expect(draw("7 kill-x 0")).not.toEqual(draw("7 kill-x 1"));
});
