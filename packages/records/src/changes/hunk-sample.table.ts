import { EntitySchema } from "typeorm";

/**
 * What a fingerprint stands for in one run, where that is not what `hunk_text` says: another price has the fingerprint of the one before. `sample_id`: the
 * snapshot that changed so, of a comparison the row of its page; it may be gone since.
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
