import { EntitySchema } from "typeorm";

/**
 * The one row that says which installation this database is. `id`: written into the mark of its bucket; `has_marked`: it has marked a
 * bucket, so that one without a mark is not its own. `clock_seen_at`: the time of the database's clock when it was last looked at;
 * `clock_jumped_at`: when it was found to have gone ahead by more than a day since.
 */
export const installationEntity = new EntitySchema({
  name: "installation",
  columns: {
    single: { type: "boolean", primary: true, default: true },
    id: { type: "uuid", default: () => "uuidv7()" },
    has_marked: { type: "boolean", default: false },
    clock_seen_at: { type: "timestamptz", nullable: true },
    clock_jumped_at: { type: "timestamptz", nullable: true },
  },
  checks: [{ name: "installation_single", expression: "single" }],
});
