import { EntitySchema } from "typeorm";

/**
 * One address of a crawl's frontier. `kind`: a `page`; in runs of kind sitemaps a `sitemap` to read or an `entry` of one. `target`: where a
 * redirect or a canonical link leads; `detail`: the contents of a sitemap file, or the `name` of a page that is known by another address.
 * States, attempts, failures, lease, fence and generation work as those of a snapshot.
 */
export const crawlPageEntity = new EntitySchema({
  name: "crawl_page",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    run_id: { type: "uuid" },
    url: { type: "text" },
    depth: { type: "smallint" },
    partition: { type: "smallint", default: 0 },
    found_on_id: { type: "uuid", nullable: true },
    state: { type: "text", default: "queued" },
    attempts: { type: "smallint", default: 0 },
    failures: { type: "smallint", default: 0 },
    fence: { type: "integer", default: 0 },
    generation: { type: "integer", default: 0 },
    lease_until: { type: "timestamptz", nullable: true },
    queued_at: { type: "timestamptz", default: () => "now()" },
    outcome: { type: "text", nullable: true },
    http_status: { type: "integer", nullable: true },
    error_code: { type: "text", nullable: true },
    error: { type: "text", nullable: true },
    kind: { type: "text", default: "page" },
    target: { type: "text", nullable: true },
    detail: { type: "jsonb", nullable: true },
    test_instance_id: { type: "uuid", nullable: true },
  },
  indices: [
    { name: "crawl_page_url", columns: ["run_id", "url"], unique: true },
    { name: "crawl_page_canonical", columns: ["run_id", "target"], where: "outcome = 'canonical'" },
    { name: "crawl_page_queued", columns: ["kind", "partition", "queued_at"], where: "state = 'queued'" },
    { name: "crawl_page_running", columns: ["lease_until"], where: "state = 'running'" },
  ],
  foreignKeys: [
    {
      name: "fk_crawl_page_run",
      target: "run",
      columnNames: ["run_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
