import { EntitySchema } from "typeorm";

/**
 * One page of a test object. `status` is a value of the contract's `instanceStatus`, which the SQL function `instance_status_order` maps to
 * the order of lists (what needs attention first); `status` and columns such as `http_status` repeat what the newest snapshot says.
 * `last_number` only grows, so that a snapshot's number is never given twice. `content_size`: bytes of the page's newest content, null when
 * there is none; lists can be sorted by it. `auto_mode`: the way of loading that mode `auto` last learned for the page; `auto_mode_loads`:
 * the loads since that was last tested. `by_crawl`, `by_sitemaps`: whether the last run of that kind that saw the whole site found the
 * page. `lifecycle`: null for a page that exists, else `gone`, `unlinked` or `moved` (to `lifecycle_to`), since `lifecycle_at`.
 * `removal_id`: the pending removal that will delete it; such a page is in no list.
 */
export const testInstanceEntity = new EntitySchema({
  name: "test_instance",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    test_object_id: { type: "uuid" },
    url: { type: "text" },
    name: { type: "text" },
    status: { type: "text", default: "none" },
    snapshots_total: { type: "integer", default: 0 },
    last_number: { type: "integer", default: 0 },
    last_snapshot_id: { type: "uuid", nullable: true },
    last_snapshot_at: { type: "timestamptz", nullable: true },
    content_size: { type: "integer", nullable: true },
    http_status: { type: "integer", nullable: true },
    error: { type: "text", nullable: true },
    auto_mode: { type: "text", nullable: true },
    auto_mode_loads: { type: "integer", default: 0 },
    lines_added: { type: "integer", default: 0 },
    lines_removed: { type: "integer", default: 0 },
    by_crawl: { type: "boolean", default: false },
    by_sitemaps: { type: "boolean", default: false },
    lifecycle: { type: "text", nullable: true },
    lifecycle_at: { type: "timestamptz", nullable: true },
    lifecycle_to: { type: "text", nullable: true },
    removal_id: { type: "uuid", nullable: true },
    created_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [
    { name: "instance_url", columns: ["test_object_id", "url"], unique: true },
    // also over instance_status_order(status), which TypeORM cannot express: a migration creates it
    { name: "instance_order", columns: ["test_object_id", "url"], synchronize: false },
    { name: "instance_snapshots", columns: ["test_object_id", "snapshots_total"] },
    { name: "instance_going", columns: ["test_object_id", "removal_id"], where: "removal_id IS NOT NULL" },
    { name: "instance_of_removal", columns: ["removal_id", "id"], where: "removal_id IS NOT NULL" },
  ],
  foreignKeys: [
    {
      name: "fk_instance_test_object",
      target: "test_object",
      columnNames: ["test_object_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
  ],
});
