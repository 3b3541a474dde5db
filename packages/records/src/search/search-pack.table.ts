import { EntitySchema } from "typeorm";

/**
 * Searchable text of some contents of one object, immutable; larger packs replace smaller ones. A document is a content in a charset:
 * `hashes` has 32 bytes for each document, `charset_of` one byte, its index in `charsets`.
 */
export const searchPackEntity = new EntitySchema({
  name: "search_pack",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid" },
    format: { type: "smallint" },
    documents: { type: "integer" },
    hashes: { type: "bytea" },
    charsets: { type: "text", array: true },
    charset_of: { type: "bytea" },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [{ name: "search_pack_of_object", columns: ["test_object_id"] }],
  foreignKeys: [
    {
      name: "fk_search_pack_test_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
