import { expect, test } from "@jest/globals";
import { changeOf, statusOf } from "./snapshot-status.js";

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

test.each([
  [{ change_state: null, change: null }, null],
  [{ change_state: "queued", change: null }, "pending"],
  [{ change_state: "queued", change: "changed" }, "pending"],
  [{ change_state: "done", change: "changed" }, "changed"],
])("%j is shown as %s", (row, expected) => {
  expect(changeOf(row)).toBe(expected);
});
