import { EntitySchema } from "typeorm";

/** An entry in the feeds about a run whose findings are worth it. `section`: the contract's `digestSection`, as it was reported then. */
export const feedEntryEntity = new EntitySchema({
  name: "feed_entry",
  columns: {
    run_id: { type: "uuid", primary: true },
    test_object_id: { type: "uuid" },
    section: { type: "jsonb" },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [
    { name: "feed_entry_of_object", columns: ["test_object_id", "created_at"] },
    { name: "feed_entry_newest", columns: ["created_at"] },
  ],
  foreignKeys: [
    {
      name: "fk_feed_entry_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
