import { EntitySchema } from "typeorm";

/**
 * The newest known state of each file that pages of a test object need, so that a file that many pages share is requested only once per run
 * by all replicas together. `round`: the run (or single snapshot) that last loaded it; `claimed_by`: the round that is loading it now,
 * until `claimed_until`. Rows do not protect content from being collected. `seen_at`: when a page last needed the file, to within a day.
 */
export const siteAssetEntity = new EntitySchema({
  name: "site_asset",
  columns: {
    test_object_id: { type: "uuid", primary: true },
    url: { type: "text", primary: true },
    round: { type: "uuid", nullable: true },
    claimed_by: { type: "uuid", nullable: true },
    claimed_until: { type: "timestamptz", nullable: true },
    base_url: { type: "text", nullable: true },
    content_hash: { type: "bytea", nullable: true },
    content_type: { type: "text", default: "" },
    extension: { type: "text", default: "" },
    etag: { type: "text", nullable: true },
    last_modified: { type: "text", nullable: true },
    error: { type: "text", nullable: true },
    seen_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [
    { name: "site_asset_content", columns: ["content_hash"], where: "content_hash IS NOT NULL" },
    { name: "site_asset_seen", columns: ["test_object_id", "seen_at"] },
  ],
  foreignKeys: [
    {
      name: "fk_site_asset_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    {
      name: "fk_site_asset_content",
      target: "content",
      columnNames: ["content_hash"],
      referencedColumnNames: ["hash"],
      onDelete: "SET NULL",
    },
  ],
});
