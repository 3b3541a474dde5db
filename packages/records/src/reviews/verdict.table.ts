import { EntitySchema } from "typeorm";

/**
 * A person's verdict on one kind of change of a run (`fingerprint`), or on one page: accepted, ignored or problem. `left_out`: for a kind
 * of difference in a comparison, the hashes of the text that its fingerprint leaves out, over all pages.
 */
export const verdictEntity = new EntitySchema({
  name: "verdict",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    run_id: { type: "uuid" },
    fingerprint: { type: "bytea", nullable: true },
    test_instance_id: { type: "uuid", nullable: true },
    verdict: { type: "text" },
    note: { type: "text" },
    author: { type: "text" },
    left_out: { type: "bytea", array: true, nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  checks: [{ name: "verdict_of_one", expression: "(fingerprint IS NULL) <> (test_instance_id IS NULL)" }],
  indices: [
    { name: "verdict_of_group", columns: ["run_id", "fingerprint"], unique: true, where: "fingerprint IS NOT NULL" },
    {
      name: "verdict_of_page",
      columns: ["test_instance_id", "run_id"],
      unique: true,
      where: "test_instance_id IS NOT NULL",
    },
  ],
  foreignKeys: [
    {
      name: "fk_verdict_run",
      target: "run",
      columnNames: ["run_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    {
      name: "fk_verdict_instance",
      target: "test_instance",
      columnNames: ["test_instance_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
