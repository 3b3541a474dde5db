import { expect, test } from "@jest/globals";
import { instanceStatus } from "@web-tester/contracts/entities";
import { changeOf, positionOf, statusAt, statusOf } from "./snapshot-status.js";

test.each([
  ["created", null, "none"],
  ["cancelled", null, "none"],
  ["queued", null, "queued"],
  ["running", null, "running"],
  ["failed", null, "failed"],
  ["done", null, "fetched"],
  ["done", "first", "first"],
  ["done", "unchanged", "unchanged"],
  ["done", "changed", "changed"],
])("%s with change %s gives %s", (state, change, expected) => {
  expect(statusOf(state, change)).toBe(expected);
});

test("positions are those of the contract, there and back", () => {
  expect(instanceStatus.options.map((status) => statusAt(positionOf(status)))).toEqual(instanceStatus.options);
  // the statements write these numbers
  expect(["failed", "running", "changed", "first", "unchanged", "fetched", "queued", "none"]).toEqual(
    instanceStatus.options,
  );
  expect(statusAt(99)).toBe("none");
});

test.each([
  [{ change_state: null, change: null }, null],
  [{ change_state: "queued", change: null }, "pending"],
  [{ change_state: "queued", change: "changed" }, "pending"],
  [{ change_state: "done", change: "changed" }, "changed"],
])("%j is shown as %s", (row, expected) => {
  expect(changeOf(row)).toBe(expected);
});
