import { EntitySchema } from "typeorm";

/**
 * A part, with some hundred pages, of all pages of an event that has more than its row names. `pages`: facts, which are turned into words
 * when they are read.
 */
export const watchEventPartEntity = new EntitySchema({
  name: "watch_event_part",
  columns: {
    event_id: { type: "bigint", primary: true },
    part: { type: "integer", primary: true },
    pages: { type: "jsonb" },
  },
  foreignKeys: [
    {
      name: "fk_watch_event_part_event",
      target: "watch_event",
      columnNames: ["event_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
