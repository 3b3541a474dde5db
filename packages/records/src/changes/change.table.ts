import { EntitySchema } from "typeorm";

/**
 * How a finished snapshot differs from the finished one before it. Written as queued with the snapshot, set to done by the differ.
 * `attempts` counts tries at this comparison alone, once it is suspected of crashing the differ. `files_digest`: the first of the files
 * that `files_changed` counts, as a row of `changed_files` (earlier versions wrote them in `files`); `facts`: other changed facts of the
 * page (status, headers, title, …); null when there are none. `significant`: whether there is a change left after the rules; `changes` and
 * `ignored`: the numbers of changed places that do and do not count; `hunks`: the fingerprints of those that do, null when there are none,
 * so that equal changes of many pages are recognised; `entries`: for each of them a number from the words and addresses of a part with a link that only
 * came, negative for one that only went, 0 for others, until `foldEntries` has looked at them; null when there are none. The view `change_hunk` gives each of them a row. `test_object_id` and `run_id` are
 * those of the snapshot, and may be null in an unchanged row: they serve to find the other rows.
 */
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
    entries: { type: "bigint", array: true, nullable: true },
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
    {
      name: "change_unread",
      columns: ["snapshot_id"],
      where:
        "state = 'done' AND coarse AND kind = 'changed' AND changes = 0 AND ignored = 0 AND lines_added = 0 AND lines_removed = 0 AND attempts = 0",
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
