import { EntitySchema } from "typeorm";

/**
 * The list of files that a page needs. Each distinct list of an object is written once and never changed: all snapshots whose pages need
 * the same files share it. `digest`: SHA-256 of its rows; `files` and `missing`: the number of rows, and of those without content.
 * `touched_at` protects it from collection until the snapshots that will refer to it are written.
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
