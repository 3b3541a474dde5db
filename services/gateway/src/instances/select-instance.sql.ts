import type { Queryable } from "@web-tester/platform/db/database";

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
}

const select = `
  SELECT i.id, i.name, i.url, i.created_at, i.status, i.snapshots_total, o.id AS object_id, o.name AS object_name, o.url AS object_url, o.asset_snapshots, o.fetch_mode
  FROM test_instance i JOIN test_object o ON o.id = i.test_object_id WHERE i.id = $1`;

export async function selectInstance(db: Queryable, id: string): Promise<OneInstanceRow | null> {
  const [row] = await db.query<OneInstanceRow>(select, [id]);
  return row ?? null;
}
