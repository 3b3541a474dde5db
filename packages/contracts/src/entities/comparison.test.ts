import { expect, test } from "@jest/globals";
import { comparisonInput } from "./comparison.js";

const id = "0199f3a0-0000-7000-8000-000000000000";

test.each([
  { type: "latest" },
  { type: "previous" },
  { type: "baseline" },
  { type: "run", run_id: id },
  { type: "label", label: "main" },
  { type: "time", at: "2026-11-24T09:00:00Z" },
  { type: "object", testobject_id: id },
])("a side is $type and nothing else: what a caller meant by another field would not be compared", (side) => {
  expect(comparisonInput.safeParse({ from: side, to: side }).success).toBe(true);
  const more = comparisonInput.safeParse({ from: { ...side, lable: "main" } });
  expect(more.error?.issues).toMatchObject([{ code: "unrecognized_keys", path: ["from"], keys: ["lable"] }]);
});
