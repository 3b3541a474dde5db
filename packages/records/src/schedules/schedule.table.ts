import { EntitySchema } from "typeorm";

/**
 * Scheduled work of an object. `spec`: the contract's `scheduleSpec`; `due_at`: its next due time, `begins_at`: when its run begins, which
 * may be a little later; both are null while the schedule is paused, or if it is never due again.
 */
export const scheduleEntity = new EntitySchema({
  name: "schedule",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid" },
    spec: { type: "jsonb" },
    due_at: { type: "timestamptz", nullable: true },
    begins_at: { type: "timestamptz", nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [
    { name: "schedule_of_object", columns: ["test_object_id", "id"] },
    { name: "schedule_begins", columns: ["begins_at"], where: "begins_at IS NOT NULL" },
  ],
  foreignKeys: [
    {
      name: "fk_schedule_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
