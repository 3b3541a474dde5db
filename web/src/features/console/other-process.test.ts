import { expect, test } from "@jest/globals";
import type { ConsoleLine } from "./console-line.js";
import { otherProcessWarning } from "./other-process.js";

const through = (via: number | undefined): ConsoleLine => ({
  id: String(via),
  level: "info",
  message: "Visited /",
  ts: 1,
  jobId: "run",
  via,
});

test.each<[string, (number | undefined)[], number | undefined]>([
  ["no lines", [], 2],
  ["all lines through the connected process", [2, 2], 2],
  ["a line of before any greeting", [undefined], 2],
  ["no process known", [1], undefined],
])("no warning: %s", (_, vias, pid) => {
  expect(otherProcessWarning(vias.map(through), pid)).toBeUndefined();
});

test("names each other process once", () => {
  expect(otherProcessWarning([1, 1, 2].map(through), 2)).toBe(
    "Some lines come from process 1, an earlier server process than the one connected now.",
  );
  expect(otherProcessWarning([1, 3, 1, 2].map(through), 2)).toMatch(/processes 1, 3, .* than the one connected/);
});
