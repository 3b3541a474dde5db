import { EntitySchema } from "typeorm";

/**
 * Lists of files that changed together on pages of an object (`change.files_digest` refers to them). A list is stored once for all pages on
 * which it changed, because most pages of a site need the same files. `named_at`: when a change last referred to it, to the day; lists
 * without a change are collected.
 */
export const changedFilesEntity = new EntitySchema({
  name: "changed_files",
  columns: {
    test_object_id: { type: "uuid", primary: true },
    digest: { type: "bytea", primary: true },
    files: { type: "jsonb" },
    named_at: { type: "timestamptz", default: () => "now()" },
  },
  foreignKeys: [
    {
      name: "fk_changed_files_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
