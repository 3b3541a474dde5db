import type { Queryable } from "@web-tester/platform/db/database";
import { sharedRead } from "@web-tester/platform/db/statement";
import { type InJson, readSnapshot, type SnapshotRow, snapshotsOf } from "../rows/select-snapshots.sql.js";

export interface OneInstanceRow {
  id: string;
  name: string;
  url: string;
  created_at: Date;
  /** Position in the contract's instanceStatus. */
  status: number;
  snapshots_total: number;
  object_id: string;
  object_name: string;
  object_url: string;
  asset_snapshots: boolean;
  fetch_mode: string;
  /** Newest first. */
  snapshots: SnapshotRow[];
}

const select = sharedRead(`
  SELECT i.id, i.name, i.url, i.created_at, i.status, i.snapshots_total, o.id AS object_id, o.name AS object_name, o.url AS object_url, o.asset_snapshots, o.fetch_mode,
         (SELECT json_agg(s ORDER BY s.id DESC) FROM (${snapshotsOf("i.id", "LIMIT $2 OFFSET $3")}) s) AS snapshots
  FROM test_instance i JOIN test_object o ON o.id = i.test_object_id WHERE i.id = $1`);

/** An instance and a page of its snapshots. */
export async function selectInstance(
  db: Queryable,
  id: string,
  limit: number,
  offset: number,
): Promise<OneInstanceRow | null> {
  const [row] = await db.query<
    Omit<OneInstanceRow, "snapshots"> & {
      snapshots: InJson<SnapshotRow>[] | null;
    }
  >(select, [id, limit, offset]);
  return row === undefined ? null : { ...row, snapshots: (row.snapshots ?? []).map(readSnapshot) };
}
