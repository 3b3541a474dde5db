import { expect, test } from "@jest/globals";
import { firstIdAt } from "../snapshots/first-id.js";

test.each([
  ["1970-01-01T00:00:00.000Z", "00000000-0000-7000-8000-000000000000"],
  ["2026-11-21T11:00:00.000Z", "019aa62d-d980-7000-8000-000000000000"],
])("the first id at %s", (time, expected) => {
  const id = firstIdAt(new Date(time));
  expect(id).toHaveLength(expected.length);
  expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(Date.parse(time));
});
