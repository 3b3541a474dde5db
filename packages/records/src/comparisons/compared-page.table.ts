import { EntitySchema } from "typeorm";

/**
 * A page of a comparison that is not the same in both states. `kind`: a value of the contract's `reviewKind`, `changed` while it waits to
 * be compared (`state` queued); `one_id`, `other_id`: its snapshots, which retention may have removed since.
 */
export const comparedPageEntity = new EntitySchema({
  name: "compared_page",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    run_id: { type: "uuid" },
    test_instance_id: { type: "uuid" },
    kind: { type: "text" },
    state: { type: "text", default: "done" },
    one_id: { type: "uuid", nullable: true },
    other_id: { type: "uuid", nullable: true },
    lines_added: { type: "integer", default: 0 },
    lines_removed: { type: "integer", default: 0 },
    files_changed: { type: "integer", default: 0 },
    files: { type: "jsonb", nullable: true },
    facts: { type: "jsonb", nullable: true },
    changes: { type: "integer", default: 0 },
    ignored: { type: "integer", default: 0 },
    attempts: { type: "smallint", default: 0 },
  },
  indices: [
    { name: "compared_page_of_run", columns: ["run_id", "id"] },
    { name: "compared_page_of_instance", columns: ["test_instance_id"] },
    { name: "compared_page_queued", columns: ["run_id", "id"], where: "state = 'queued'" },
  ],
  foreignKeys: [
    {
      name: "fk_compared_page_run",
      target: "run",
      columnNames: ["run_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    {
      name: "fk_compared_page_instance",
      target: "test_instance",
      columnNames: ["test_instance_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
