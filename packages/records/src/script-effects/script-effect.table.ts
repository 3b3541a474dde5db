import { EntitySchema } from "typeorm";

/**
 * What loading a page in a browser showed about a site's scripts, shared by all fetchers and kept beyond their restarts. `scripts`: digest
 * of the scripts of a page; `what`: digest of an empty place that they left empty (`builds` false), or of all places of a page that they
 * fill (`builds` true).
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
