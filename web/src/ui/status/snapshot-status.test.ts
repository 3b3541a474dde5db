import { expect, test } from "@jest/globals";
import { isUnsettled, snapshotStatus } from "./snapshot-status.js";

test.each([
  ["created", null, "queued", true],
  ["queued", null, "queued", true],
  ["running", null, "running", true],
  ["done", null, "fetched", true],
  ["done", "pending", "fetched", true],
  ["done", "first", "first", false],
  ["done", "changed", "changed", false],
  ["done", "unchanged", "unchanged", false],
  ["failed", null, "failed", false],
  ["cancelled", null, "cancelled", false],
] as const)("%s and %s is %s", (state, change, status, unsettled) => {
  expect(snapshotStatus({ state, change })).toBe(status);
  expect(isUnsettled({ state, change })).toBe(unsettled);
});
