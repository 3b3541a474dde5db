import { EntitySchema } from "typeorm";

/**
 * The result of drawing two pages and comparing the pictures, under the hash of everything that it depends on. The pictures themselves are
 * in the object store without a row: the collector removes them after its grace time, and the next request draws them again.
 */
export const visualCacheEntity = new EntitySchema({
  name: "visual_cache",
  columns: {
    key: { type: "bytea", primary: true },
    value: { type: "jsonb" },
    made_at: { type: "timestamptz", default: () => "now()" },
  },
  indices: [{ name: "visual_cache_age", columns: ["made_at"] }],
});
