import { EntitySchema } from "typeorm";

/** The two states of a site that a run compares (the contract's `comparedSide`), and the number of pages that are the same in both, which have no rows. */
export const comparisonEntity = new EntitySchema({
  name: "comparison",
  columns: {
    run_id: { type: "uuid", primary: true },
    one: { type: "jsonb" },
    other: { type: "jsonb" },
    parts: { type: "jsonb", nullable: true },
    same: { type: "integer", default: 0 },
  },
  foreignKeys: [
    {
      name: "fk_comparison_run",
      target: "run",
      columnNames: ["run_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
