import { EntitySchema } from "typeorm";

/**
 * Which links a few pages of a running crawl carry, in the form of `addresses/link-keys`; turned into `crawl_carrier` and removed when the
 * crawl has ended and is known to have failed for some addresses.
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
