import { EntitySchema } from "typeorm";

/**
 * Something that happened to an object. Ids grow in the order in which transactions end: a reader that has seen an id has seen all smaller
 * ones. `kind`: a value of the contract's `eventKind`; `pages`: the first of the event's `pages_total` pages.
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
