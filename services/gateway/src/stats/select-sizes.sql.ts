import type { Queryable } from "@web-tester/platform/database/database";

export interface Sizes {
  db_bytes: number;
  /** Major version. */
  db_version: number;
  /** Bytes that the object store keeps for rows. */
  stored_bytes: number;
}

// as float8: exact up to 2^53, and the driver gives bigint as text
const select = `
  SELECT pg_database_size(current_database())::float8 AS db_bytes,
         current_setting('server_version_num')::int / 10000 AS db_version,
         (SELECT sum(bytes)::float8 FROM stored_total) AS stored_bytes`;

/** What is kept; costs the same however much it is. */
export async function selectSizes(db: Queryable): Promise<Sizes> {
  const [row] = await db.query<Sizes>(select);
  return row ?? { db_bytes: 0, db_version: 0, stored_bytes: 0 };
}
