import { EntitySchema } from "typeorm";

/**
 * The text of a fingerprint: what was removed and added, as on the first page that changed so. `place`: hash shared by changes of one
 * place. `kind`: whether the content, the order of its parts (`moved`), a file, a header or the status changed. `named_at`: when a change last had it, to the day; rows that
 * no change has are collected.
 */
export const hunkTextEntity = new EntitySchema({
  name: "hunk_text",
  columns: {
    test_object_id: { type: "uuid", primary: true },
    fingerprint: { type: "bytea", primary: true },
    place: { type: "bytea" },
    removed: { type: "text" },
    added: { type: "text" },
    kind: { type: "text", default: "content" },
    named_at: { type: "timestamptz", default: () => "now()" },
  },
  foreignKeys: [
    {
      name: "fk_hunk_text_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
