import type { Queryable } from "@web-tester/platform/database/database";

export interface Sizes {
  db_bytes: number;
  /** Major version of PostgreSQL. */
  db_version: number;
  /** Bytes of the object store that rows refer to. */
  stored_bytes: number;
}

// as float8, which is exact up to 2^53, because the driver returns bigint as text
const select = `
  SELECT pg_database_size(current_database())::float8 AS db_bytes,
         current_setting('server_version_num')::int / 10000 AS db_version,
         (SELECT sum(bytes)::float8 FROM stored_total) AS stored_bytes`;

/** Selects the stored sizes; costs the same however much is stored. */
export async function selectSizes(db: Queryable): Promise<Sizes> {
  const [row] = await db.query<Sizes>(select);
  return row ?? { db_bytes: 0, db_version: 0, stored_bytes: 0 };
}
