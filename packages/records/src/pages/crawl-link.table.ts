import { EntitySchema } from "typeorm";

/**
 * The links of a batch of pages of a running crawl, in the format of `addresses/link-keys`. When the crawl has ended, those to failed
 * addresses become rows of `crawl_carrier`, and the batch is removed.
 */
export const crawlLinkEntity = new EntitySchema({
  name: "crawl_link",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    run_id: { type: "uuid" },
    page_ids: { type: "uuid", array: true },
    links: { type: "bytea" },
  },
  indices: [{ name: "crawl_link_of_run", columns: ["run_id", "id"] }],
  foreignKeys: [
    {
      name: "fk_crawl_link_run",
      target: "run",
      columnNames: ["run_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
