import { EntitySchema } from "typeorm";

/**
 * Distinct bytes, once, however many snapshots share them; the bytes themselves are in the object store under the hash.
 * `stored` turns true in the transaction that first refers to them; `touched_at` keeps the collector away from bytes
 * whose row is still being written.
 */
export const contentEntity = new EntitySchema({
  name: "content",
  columns: {
    hash: { type: "bytea", primary: true },
    size: { type: "integer" },
    stored_size: { type: "integer", default: 0 },
    stored: { type: "boolean", default: false },
    touched_at: { type: "timestamptz", default: () => "now()" },
  },
});
