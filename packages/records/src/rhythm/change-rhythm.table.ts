import { EntitySchema } from "typeorm";

/**
 * How often a section of a site changes. `section`: the prefix of its paths, `/` for the whole site; `counts`: pages that changed in each
 * of the last fetches; `gaps`: seconds between the last changes; `silent`: the section has been reported as silent and still is.
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
