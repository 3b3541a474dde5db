import { EntitySchema } from "typeorm";

/**
 * Something that happened to an object. The ids grow in the order in which transactions end: whoever has seen one has seen all below it.
 * `kind`: a word of the contract's `eventKind`; `pages`: the first of so many.
 */
export const watchEventEntity = new EntitySchema({
  name: "watch_event",
  columns: {
    id: { type: "bigint", primary: true },
    test_object_id: { type: "uuid" },
    run_id: { type: "uuid" },
    kind: { type: "text" },
    pages_total: { type: "integer" },
    pages: { type: "jsonb" },
    said: { type: "text", default: "" },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [{ name: "watch_event_of_object", columns: ["test_object_id", "id"] }],
  foreignKeys: [
    {
      name: "fk_watch_event_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
