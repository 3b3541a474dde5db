import { expect, test } from "@jest/globals";
import type { FailedTelling } from "@web-tester/contracts/entities/notifications";
import { untoldFor } from "./untold-for.js";

const run: FailedTelling = {
  run_id: "0190b0f0-0000-7000-8000-000000000001",
  testobject_id: "0190b0f0-0000-7000-8000-000000000002",
  object_name: "Shop",
  since: "2026-11-30T12:00:00.000Z",
  tries: 2,
  why: 'null value in column "kind" of relation "watch_event" violates not-null constraint',
};

test.each(["viewer", "reviewer", "operator"] as const)("a %s is not shown the database's own words", (role) =>
  expect(untoldFor(role, [run])).toEqual([{ ...run, why: "Administrators see the technical cause here." }]),
);

test("an administrator is", () => expect(untoldFor("admin", [run])).toEqual([run]));
