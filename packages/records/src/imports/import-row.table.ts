import { EntitySchema } from "typeorm";

/**
 * A staged record of an import's file, read and checked, until the object that it belongs to is written. `list`: 0 objects, 1 instances, 2
 * snapshots; `record` and `line` as in the file, 1-based. `source_id` and `parent_id` are the file's own ids and mean nothing outside it;
 * `url` is canonical; `target_id`: the id an object gets if it is new (its secrets are sealed for it), the same for all records of it. The
 * files of a page are listed in `data`; `import_content` holds the bytes of all.
 */
export const importRowEntity = new EntitySchema({
  name: "import_row",
  columns: {
    import_id: { type: "uuid", primary: true },
    list: { type: "smallint", primary: true },
    record: { type: "integer", primary: true },
    line: { type: "integer" },
    source_id: { type: "text" },
    parent_id: { type: "text", nullable: true },
    url: { type: "text", nullable: true },
    target_id: { type: "uuid", nullable: true },
    content_hash: { type: "bytea", nullable: true },
    data: { type: "jsonb" },
  },
  indices: [
    { name: "import_row_source", columns: ["import_id", "list", "source_id"] },
    { name: "import_row_parent", columns: ["import_id", "list", "parent_id"] },
    { name: "import_row_content", columns: ["content_hash"], where: "content_hash IS NOT NULL" },
  ],
  foreignKeys: [
    {
      name: "fk_import_row_job",
      target: "import_job",
      columnNames: ["import_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    {
      name: "fk_import_row_content",
      target: "content",
      columnNames: ["content_hash"],
      referencedColumnNames: ["hash"],
    },
  ],
});
