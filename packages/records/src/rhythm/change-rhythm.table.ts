import { EntitySchema } from "typeorm";

/**
 * How often a section of a site changes. `section`: what its paths begin with, `/` for the whole; `counts`: pages that changed at each of
 * the last fetches; `gaps`: seconds between changes, the last ones; `silent`: its silence was told and lasts.
 */
export const changeRhythmEntity = new EntitySchema({
  name: "change_rhythm",
  columns: {
    test_object_id: { type: "uuid", primary: true },
    section: { type: "text", primary: true },
    counts: { type: "integer", array: true, default: "{}" },
    gaps: { type: "integer", array: true, default: "{}" },
    changed_at: { type: "timestamptz", nullable: true },
    silent: { type: "boolean", default: false },
    seen_at: { type: "timestamptz", default: () => "now()" },
  },
  foreignKeys: [
    {
      name: "fk_change_rhythm_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
