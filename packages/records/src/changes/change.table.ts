import { EntitySchema } from "typeorm";

/** How a finished snapshot differs from the finished one before it. Written queued with the snapshot, done by the differ. `attempts` counts tries at this comparison alone, once it is suspected of ending the differ. `files_digest`: the first of the files that `files_changed` counts, as a row of `changed_files` (earlier versions wrote them in `files`); `facts`: what else the page
 * says differently; null where there is nothing. `significant`: whether a change is one in what rules leave of the page; `changes` and `ignored`: changed places that do and do not count; `hunks`: the fingerprints of those that do,
 * null where there are none: equal changes of many pages have the same one. The view `change_hunk` gives them a row each.
 * `test_object_id` and `run_id` are those of its snapshot, and may be null in an unchanged one: they serve to find the others. */
export const changeEntity = new EntitySchema({
  name: "change",
  columns: {
    snapshot_id: { type: "uuid", primary: true },
    test_object_id: { type: "uuid", nullable: true },
    run_id: { type: "uuid", nullable: true },
    previous_id: { type: "uuid", nullable: true },
    state: { type: "text", default: "queued" },
    kind: { type: "text", nullable: true },
    lines_added: { type: "integer", default: 0 },
    lines_removed: { type: "integer", default: 0 },
    coarse: { type: "boolean", default: false },
    files_changed: { type: "integer", default: 0 },
    files: { type: "jsonb", nullable: true },
    files_digest: { type: "bytea", nullable: true },
    facts: { type: "jsonb", nullable: true },
    significant: { type: "boolean", default: true },
    changes: { type: "integer", default: 0 },
    ignored: { type: "integer", default: 0 },
    hunks: { type: "bytea", array: true, nullable: true },
    generation: { type: "integer", default: 0 },
    attempts: { type: "smallint", default: 0 },
    queued_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [
    { name: "change_queued", columns: ["queued_at"], where: "state = 'queued'" },
    {
      name: "change_of_object",
      columns: ["test_object_id", "kind", "snapshot_id"],
      where: "state <> 'done' OR kind <> 'unchanged'",
    },
    { name: "change_of_run", columns: ["run_id", "kind"], where: "state <> 'done' OR kind <> 'unchanged'" },
  ],
  foreignKeys: [
    {
      name: "fk_change_snapshot",
      target: "test_snapshot",
      columnNames: ["snapshot_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
