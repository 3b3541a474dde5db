import { EntitySchema } from "typeorm";

/** An address that a crawl met and did not visit, and why; bounded per run and reason, so that no site can fill the table. */
export const crawlSkipEntity = new EntitySchema({
  name: "crawl_skip",
  columns: {
    run_id: { type: "uuid", primary: true },
    url: { type: "text", primary: true },
    reason: { type: "text" },
    found_on_id: { type: "uuid", nullable: true },
  },
  foreignKeys: [
    {
      name: "fk_crawl_skip_run",
      target: "run",
      columnNames: ["run_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
