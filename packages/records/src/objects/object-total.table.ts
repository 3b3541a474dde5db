import { EntitySchema } from "typeorm";

/**
 * Parts of the sums over an object's instances (`test_instance`), maintained by triggers of that table; no statement writes them. Only the
 * sum of all parts has a meaning; a single part may be negative.
 */
export const objectTotalEntity = new EntitySchema({
  name: "object_total",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid" },
    instances: { type: "integer" },
    snapshots: { type: "integer" },
    changed: { type: "integer" },
    failed: { type: "integer" },
  },
  indices: [{ name: "object_total_of", columns: ["test_object_id"] }],
  foreignKeys: [
    {
      name: "fk_object_total_test_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
