import { EntitySchema } from "typeorm";

/**
 * Bytes that an import needs, new or already stored, and that nothing else may refer to yet; from before they are written until the import
 * is over. The collector leaves them alone, however long an upload or the wait for writing takes.
 */
export const importContentEntity = new EntitySchema({
  name: "import_content",
  columns: {
    import_id: { type: "uuid", primary: true },
    content_hash: { type: "bytea", primary: true },
  },
  indices: [{ name: "import_content_hash", columns: ["content_hash"] }],
  foreignKeys: [
    {
      name: "fk_import_content_job",
      target: "import_job",
      columnNames: ["import_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    {
      name: "fk_import_content_content",
      target: "content",
      columnNames: ["content_hash"],
      referencedColumnNames: ["hash"],
    },
  ],
});
