import { EntitySchema } from "typeorm";

/** Which two states of a site a run compares (the contract's `comparedSide`), and how many pages are the same in both, of which no rows are kept. */
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
