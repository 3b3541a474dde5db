import { EntitySchema } from "typeorm";

/**
 * What a fingerprint stands for: what went and what came, as the first page that changed so shows it. `place`: changes of one place share it. `kind`:
 * whether it is of the content, a file, a header or the status. `named_at`: when a change had it last, to the day; what no change has is collected.
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
