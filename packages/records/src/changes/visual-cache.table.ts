import { EntitySchema } from "typeorm";

/**
 * What drawing and comparing pages came to, under the hash of everything that it depends on. Pictures it names wait in the
 * object store without a row of their own: the collector takes them after its grace time, and they are drawn anew when asked for.
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
