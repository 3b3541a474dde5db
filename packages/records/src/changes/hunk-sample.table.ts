import { EntitySchema } from "typeorm";

/**
 * The text of a fingerprint in one run, if it differs from the one in `hunk_text`: two changes of a price may have the same fingerprint.
 * `sample_id`: the snapshot that changed so, or the page's row of a comparison; it may be gone since.
 */
export const hunkSampleEntity = new EntitySchema({
  name: "hunk_sample",
  columns: {
    run_id: { type: "uuid", primary: true },
    fingerprint: { type: "bytea", primary: true },
    sample_id: { type: "uuid" },
    removed: { type: "text" },
    added: { type: "text" },
  },
  foreignKeys: [
    {
      name: "fk_hunk_sample_run",
      target: "run",
      columnNames: ["run_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
