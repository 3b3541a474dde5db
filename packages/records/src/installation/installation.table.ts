import { EntitySchema } from "typeorm";

/**
 * The one row that says which installation this database is. `id`: written into the mark of its bucket; `has_marked`: it has marked a
 * bucket, so that one without a mark is not its own.
 */
export const installationEntity = new EntitySchema({
  name: "installation",
  columns: {
    single: { type: "boolean", primary: true, default: true },
    id: { type: "uuid", default: () => "uuidv7()" },
    has_marked: { type: "boolean", default: false },
  },
  checks: [{ name: "installation_single", expression: "single" }],
});
