import { EntitySchema } from "typeorm";

/** A registered site. `auth_password_sealed` is the secret of any of the three kinds, encrypted; see secrets/secret-box. */
export const testObjectEntity = new EntitySchema({
  name: "test_object",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    name: { type: "text" },
    url: { type: "text" },
    sitemaps: { type: "text", array: true, default: "{}" },
    auth_enabled: { type: "boolean", default: false },
    auth_type: { type: "text", default: "basic" },
    auth_username: { type: "text", default: "" },
    auth_password_sealed: { type: "bytea", nullable: true },
    exclude_list: { type: "text", array: true, default: "{}" },
    asset_snapshots: { type: "boolean", default: true },
    fetch_mode: { type: "text", default: "auto" },
    ignore_robots: { type: "boolean", default: false },
    request_delay_ms: { type: "integer", default: 0 },
    scope: { type: "text", default: "path" },
    scope_prefixes: { type: "text", array: true, default: "{}" },
    drop_params: { type: "text", array: true, default: "{}" },
    crawl_pages_max: { type: "integer", default: 100000 },
    crawl_depth_max: { type: "integer", default: 20 },
    crawl_minutes_max: { type: "integer", default: 720 },
    crawl_mib_max: { type: "integer", default: 10240 },
    deleting: { type: "boolean", default: false },
    created_at: { type: "timestamptz", default: () => "now()" },
    dictionary_hash: { type: "bytea", nullable: true },
  },
  indices: [{ name: "test_object_dictionary", columns: ["dictionary_hash"], where: "dictionary_hash IS NOT NULL" }],
  foreignKeys: [
    {
      name: "fk_test_object_dictionary",
      target: "content",
      columnNames: ["dictionary_hash"],
      referencedColumnNames: ["hash"],
    },
  ],
});
