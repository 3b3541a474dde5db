import { EntitySchema } from "typeorm";

/**
 * One crawl, fetch or deletion in progress or past. Counters move only in the transaction that moves the row they count;
 * `completed` includes `failed` and ends equal to `total`.
 */
export const runEntity = new EntitySchema({
  name: "run",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid" },
    kind: { type: "text" },
    state: { type: "text", default: "running" },
    total: { type: "integer", default: 0 },
    completed: { type: "integer", default: 0 },
    failed: { type: "integer", default: 0 },
    changed: { type: "integer", default: 0 },
    found: { type: "integer", default: 0 },
    found_new: { type: "integer", default: 0 },
    bytes: { type: "bigint", default: 0 },
    ended_by: { type: "text", nullable: true },
    generation: { type: "integer", default: 0 },
    queued_at: { type: "timestamptz", default: () => "now()" },
    created_at: { type: "timestamptz", default: () => "now()" },
    finished_at: { type: "timestamptz", nullable: true },
  },
  checks: [{ name: "run_counters", expression: "failed <= completed AND completed <= total" }],
  indices: [
    { name: "run_of_object", columns: ["test_object_id", "id"] },
    {
      name: "run_running",
      columns: ["test_object_id", "kind"],
      unique: true,
      where: "state = 'running' AND kind <> 'snapshot-one'",
    },
  ],
  foreignKeys: [
    {
      name: "fk_run_test_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
