import { expect, test } from "@jest/globals";
import { failureStatus, isUnsettled, snapshotStatus } from "./snapshot-status.js";

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

test.each([
  ["failed", 404, 404],
  ["failed", 302, 302],
  ["failed", 200, undefined],
  ["failed", null, undefined],
  ["unchanged", 404, undefined],
] as const)("%s with %s shows %s", (status, httpStatus, shown) => {
  expect(failureStatus(status, httpStatus)).toBe(shown);
});
