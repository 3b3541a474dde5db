import { EntitySchema } from "typeorm";

/**
 * A pack's text in one scope, `html` or `text`; columns as in `search/section`. The frames and the sequences that follow them are one
 * content in the object store, so that PostgreSQL holds only what a search reads at random positions: the filter.
 */
export const searchSectionEntity = new EntitySchema({
  name: "search_section",
  columns: {
    pack_id: { type: "uuid", primary: true },
    scope: { type: "text", primary: true },
    chunks: { type: "integer" },
    text_bytes: { type: "integer" },
    frame_ends: { type: "integer", array: true },
    frame_chunks: { type: "integer", array: true },
    row_bytes: { type: "integer" },
    filter: { type: "bytea" },
    content_hash: { type: "bytea" },
  },
  indices: [{ name: "search_section_content", columns: ["content_hash"] }],
  foreignKeys: [
    {
      name: "fk_search_section_content",
      target: "content",
      columnNames: ["content_hash"],
      referencedColumnNames: ["hash"],
    },
    {
      name: "fk_search_section_pack",
      target: "search_pack",
      columnNames: ["pack_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
