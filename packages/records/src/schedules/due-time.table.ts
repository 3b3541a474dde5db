import { EntitySchema } from "typeorm";

/** A due time of a schedule that has passed. The primary key ensures that it starts one run at most. `outcome`: a value of the contract's `dueOutcome`. */
export const dueTimeEntity = new EntitySchema({
  name: "due_time",
  columns: {
    schedule_id: { type: "uuid", primary: true },
    due_at: { type: "timestamptz", primary: true },
    outcome: { type: "text" },
    run_id: { type: "uuid", nullable: true },
    said: { type: "text" },
  },
  foreignKeys: [
    {
      name: "fk_due_time_schedule",
      target: "schedule",
      columnNames: ["schedule_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
