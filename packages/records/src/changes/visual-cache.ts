import { createHash } from "node:crypto";
import type { Database } from "@web-tester/platform/database/database";
import type { z } from "zod";

/** Results are forgotten after this time, when the collector may have removed their pictures. */
const keptFor = "1 day";

/** Returns the key of a result: a hash over everything that it depends on. */
export function visualKey(...parts: readonly unknown[]): Buffer {
  return createHash("sha256").update(JSON.stringify(parts)).digest();
}

/** Returns a cached result; null when there is none, or one that does not fit the schema (of another version). */
export async function readVisual<S extends z.ZodType>(
  db: Database,
  key: Buffer,
  schema: S,
): Promise<z.infer<S> | null> {
  const [row] = await db.query<{ value: unknown }>("SELECT value FROM visual_cache WHERE key = $1", [key]);
  const parsed = schema.safeParse(row?.value);
  return parsed.success ? parsed.data : null;
}

export async function writeVisual(db: Database, key: Buffer, value: unknown): Promise<void> {
  await db.query(`DELETE FROM visual_cache WHERE made_at < now() - $1::interval`, [keptFor]);
  await db.query(
    `INSERT INTO visual_cache (key, value) VALUES ($1, $2::jsonb) ON CONFLICT (key) DO UPDATE SET value = excluded.value, made_at = now()`,
    [key, JSON.stringify(value)],
  );
}
