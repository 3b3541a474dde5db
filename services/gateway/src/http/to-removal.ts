import type { Removal } from "@web-tester/contracts/entities/removal";
import type { RemovalRow } from "@web-tester/records/removals/plan-removal";

/** Converts a row to a deletion that can be undone, as the API shows it. */
export const toRemoval = ({ test_object_id, due_at, ...row }: RemovalRow): Removal => ({
  ...row,
  testobject_id: test_object_id,
  due_at: due_at.toISOString(),
});
