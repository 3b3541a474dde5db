import { EntitySchema } from "typeorm";

/** Pages (`page_ids`, `pages` of them) that contain a link to an address that failed in the crawl; `piece` distinguishes several such rows of one address. */
export const crawlCarrierEntity = new EntitySchema({
  name: "crawl_carrier",
  columns: {
    run_id: { type: "uuid", primary: true },
    target_id: { type: "uuid", primary: true },
    piece: { type: "uuid", primary: true },
    pages: { type: "integer" },
    page_ids: { type: "uuid", array: true },
  },
  foreignKeys: [
    {
      name: "fk_crawl_carrier_run",
      target: "run",
      columnNames: ["run_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
