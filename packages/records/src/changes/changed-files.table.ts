import { EntitySchema } from "typeorm";

/**
 * Files that changed with pages of an object: `files` as `change` names them, once for all pages that they changed with, for most pages of a site
 * need the same ones. `named_at`: when a change had them last, to the day; what no change has is collected.
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
