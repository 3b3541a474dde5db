import { expect, test } from "@jest/globals";
import { sharesOf } from "@web-tester/records/instances/delete-instance";

test("counts what deleted snapshots counted in their runs, in the order of runs", () => {
  expect(
    sharesOf([
      { run_id: "b", state: "failed", changed: false },
      { run_id: "a", state: "queued", changed: false },
      { run_id: "a", state: "done", changed: true },
      { run_id: "a", state: "done", changed: false },
      { run_id: "a", state: "cancelled", changed: false },
      { run_id: "a", state: "running", changed: false },
      { run_id: null, state: "created", changed: false },
    ]),
  ).toEqual([
    { run_id: "a", total: 5, completed: 3, failed: 0, changed: 1 },
    { run_id: "b", total: 1, completed: 1, failed: 1, changed: 0 },
  ]);
  expect(sharesOf([])).toEqual([]);
});
