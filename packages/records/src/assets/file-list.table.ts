import { EntitySchema } from "typeorm";

/**
 * The files that a page needs, together. Written once for each different list of an object and never changed: all snapshots
 * whose pages need the same files share it. `digest`: SHA-256 of its rows; `files` and `missing`: how many these are, and how many of
 * them have no content. `touched_at` keeps it until the snapshots that are about to have it are written.
 */
export const fileListEntity = new EntitySchema({
  name: "file_list",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid" },
    digest: { type: "bytea" },
    files: { type: "integer" },
    missing: { type: "integer" },
    touched_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [{ name: "file_list_once", columns: ["test_object_id", "digest"], unique: true }],
  foreignKeys: [
    {
      name: "fk_file_list_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
