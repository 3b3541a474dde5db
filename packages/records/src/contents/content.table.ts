import { EntitySchema } from "typeorm";

/**
 * A row for each distinct content, however many snapshots share it; the bytes themselves are in the object store under the hash. `stored`
 * becomes true in the transaction that first refers to them; `touched_at` keeps the collector away from bytes whose referring row is still
 * being written. `base_hash`: the only base that the stored object may be compressed against (it may also have none); it never changes
 * while the row lives. `depth`: 0 for a keyframe, 1 for a version stored against one.
 */
export const contentEntity = new EntitySchema({
  name: "content",
  columns: {
    hash: { type: "bytea", primary: true },
    size: { type: "integer" },
    stored_size: { type: "integer", default: 0 },
    stored: { type: "boolean", default: false },
    touched_at: { type: "timestamptz", default: () => "now()" },
    base_hash: { type: "bytea", nullable: true },
    depth: { type: "smallint", default: 0 },
  },
  indices: [{ name: "content_base", columns: ["base_hash"], where: "base_hash IS NOT NULL" }],
  foreignKeys: [
    { name: "fk_content_base", target: "content", columnNames: ["base_hash"], referencedColumnNames: ["hash"] },
  ],
});
