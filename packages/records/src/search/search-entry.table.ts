import { EntitySchema } from "typeorm";

/**
 * One distinct content of an object that can be searched, however many snapshots share it: in a pack, waiting for one (`pack_id` null), or
 * left out because it cannot be read (`problem`). `instance_id`: a page that has it, so that pages are packed together with their own past.
 * `touched_at` protects contents that come back from the sweep.
 */
export const searchEntryEntity = new EntitySchema({
  name: "search_entry",
  columns: {
    test_object_id: { type: "uuid", primary: true },
    content_hash: { type: "bytea", primary: true },
    charset: { type: "text", primary: true },
    instance_id: { type: "uuid" },
    pack_id: { type: "uuid", nullable: true },
    position: { type: "integer", nullable: true },
    problem: { type: "text", nullable: true },
    touched_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [
    { name: "search_entry_pack", columns: ["pack_id"] },
    {
      name: "search_entry_waiting",
      columns: ["test_object_id", "instance_id"],
      where: "pack_id IS NULL AND problem IS NULL",
    },
    { name: "search_entry_problem", columns: ["test_object_id"], where: "problem IS NOT NULL" },
  ],
  foreignKeys: [
    {
      name: "fk_search_entry_test_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    {
      name: "fk_search_entry_pack",
      target: "search_pack",
      columnNames: ["pack_id"],
      referencedColumnNames: ["id"],
      onDelete: "SET NULL",
    },
  ],
});
