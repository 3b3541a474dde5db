import { EntitySchema } from "typeorm";

/**
 * What a try in a browser showed of a site's scripts, for every fetcher and beyond its end. `scripts`: digest of the scripts of a page; `what`: digest of an
 * empty place that they left empty (`builds` false), or of all the places of a page that they build (`builds` true).
 */
export const scriptEffectEntity = new EntitySchema({
  name: "script_effect",
  columns: {
    test_object_id: { type: "uuid", primary: true },
    scripts: { type: "bytea", primary: true },
    what: { type: "bytea", primary: true },
    builds: { type: "boolean" },
    seen_at: { type: "timestamptz", default: () => "now()" },
  },
  foreignKeys: [
    {
      name: "fk_script_effect_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
