import { EntitySchema } from "typeorm";

/**
 * One way in which a page of a comparison differs, by the fingerprint of `hunk_text`. `run_id` is that of the page, to count pages of a
 * run; `left_out`: hash of text that the fingerprint leaves out although people see it.
 */
export const comparedHunkEntity = new EntitySchema({
  name: "compared_hunk",
  columns: {
    page_id: { type: "uuid", primary: true },
    fingerprint: { type: "bytea", primary: true },
    run_id: { type: "uuid" },
    left_out: { type: "bytea", nullable: true },
  },
  indices: [{ name: "compared_hunk_of_run", columns: ["run_id", "fingerprint"] }],
  foreignKeys: [
    {
      name: "fk_compared_hunk_page",
      target: "compared_page",
      columnNames: ["page_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
