import { EntitySchema } from "typeorm";

/**
 * A check of a release, which a pipeline asked for. `run_id`: its comparison, null until that begins; `error`: why it could not run;
 * `decision`: a person's decision on the check as a whole. Whether it waits for decisions is derived from the comparison.
 */
export const releaseCheckEntity = new EntitySchema({
  name: "release_check",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid" },
    run_id: { type: "uuid", nullable: true },
    against: { type: "text" },
    fail_on: { type: "jsonb" },
    commit: { type: "text", nullable: true },
    branch: { type: "text", nullable: true },
    pipeline_url: { type: "text", nullable: true },
    started_by: { type: "text" },
    started_name: { type: "text", nullable: true },
    error: { type: "text", nullable: true },
    decision: { type: "text", nullable: true },
    note: { type: "text", default: "" },
    decided_by: { type: "text", nullable: true },
    decided_at: { type: "timestamptz", nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  checks: [{ name: "release_check_decision", expression: "decision IN ('accepted', 'rejected')" }],
  indices: [
    { name: "release_check_of_object", columns: ["test_object_id", "id"] },
    { name: "release_check_of_run", columns: ["run_id"] },
  ],
  foreignKeys: [
    {
      name: "fk_release_check_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    {
      name: "fk_release_check_run",
      target: "run",
      columnNames: ["run_id"],
      referencedColumnNames: ["id"],
      onDelete: "SET NULL",
    },
  ],
});
