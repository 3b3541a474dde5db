import { EntitySchema } from "typeorm";

/** A pack's text in one scope, `html` or `text`; columns as in `search/section`. */
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
    body: { type: "bytea" },
    filter: { type: "bytea" },
    sequences: { type: "bytea" },
  },
  foreignKeys: [
    {
      name: "fk_search_section_pack",
      target: "search_pack",
      columnNames: ["pack_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
