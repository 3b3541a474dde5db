import { EntitySchema } from "typeorm";

/** That a page changed in a way that matters, and which: equal changes of many pages have the same fingerprint. */
export const changeHunkEntity = new EntitySchema({
  name: "change_hunk",
  columns: {
    snapshot_id: { type: "uuid", primary: true },
    fingerprint: { type: "bytea", primary: true },
    run_id: { type: "uuid", nullable: true },
  },
  indices: [{ name: "change_hunk_of_run", columns: ["run_id", "fingerprint"] }],
  foreignKeys: [
    {
      name: "fk_change_hunk_change",
      target: "change",
      columnNames: ["snapshot_id"],
      referencedColumnNames: ["snapshot_id"],
      onDelete: "CASCADE",
    },
  ],
});
