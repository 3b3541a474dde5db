import { EntitySchema } from "typeorm";

/**
 * A deletion that somebody asked for and that can still be undone. `kind`: a value of the contract's `removalKind`; the instances of a
 * removal of kind `instances` refer to it (`test_instance.removal_id`) and are in no list meanwhile. `begun`: it is being carried out, in
 * batches, and cannot be undone any more. The row is deleted when the removal is complete, or when it is undone.
 */
export const removalEntity = new EntitySchema({
  name: "removal",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid" },
    kind: { type: "text" },
    total: { type: "integer" },
    due_at: { type: "timestamptz" },
    begun: { type: "boolean", default: false },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [
    { name: "removal_due", columns: ["due_at"] },
    { name: "removal_of_object", columns: ["test_object_id", "id"] },
  ],
  foreignKeys: [
    {
      name: "fk_removal_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
