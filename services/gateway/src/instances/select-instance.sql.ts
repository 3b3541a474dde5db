import type { InstanceStatus } from "@web-tester/contracts/entities/vocabulary";
import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import { gatherReads } from "@web-tester/platform/database/gather-reads";
import { type InJson, readSnapshot, type SnapshotRow, snapshotsOf } from "../snapshots/select-snapshots.sql.js";

export interface OneInstanceRow {
  id: string;
  name: string;
  url: string;
  created_at: Date;
  status: InstanceStatus;
  snapshots_total: number;
  object_id: string;
  object_name: string;
  object_url: string;
  asset_snapshots: boolean;
  fetch_mode: string;
  /** The viewport that is set on its object; empty: none. */
  viewport: string;
  /** Newest first. */
  snapshots: SnapshotRow[];
}

interface Asked {
  id: string;
  limit: number;
  offset: number;
}

type InstanceInJson = Omit<OneInstanceRow, "created_at" | "snapshots"> & {
  created_at: string;
  snapshots: InJson<SnapshotRow>[] | null;
};

/* SQL: one row as one column of JSON, as for snapshots. */
const select = prepared(`
  SELECT place, to_json(w) AS row FROM (
    SELECT asked.place::int AS place, i.id, i.name, i.url, i.created_at, i.status, i.snapshots_total, o.id AS object_id, o.name AS object_name, o.url AS object_url, o.asset_snapshots, o.fetch_mode, o.viewport,
           (SELECT json_agg(s ORDER BY s.id DESC) FROM (${snapshotsOf("i.id", "LIMIT asked.most OFFSET asked.skipped")}) s) AS snapshots
    FROM unnest($1::uuid[], $2::int[], $3::bigint[]) WITH ORDINALITY AS asked (id, most, skipped, place)
    JOIN test_instance i ON i.id = asked.id JOIN test_object o ON o.id = i.test_object_id
  ) w`);

const read = gatherReads<Asked, OneInstanceRow>(
  ({ id, limit, offset }) => `${id} ${limit} ${offset}`,
  async (db, asked) => {
    const found = new Map<number, OneInstanceRow>();
    const rows = await db.query<{ place: number; row: InstanceInJson }>(select, [
      asked.map(({ id }) => id),
      asked.map(({ limit }) => limit),
      asked.map(({ offset }) => offset),
    ]);
    for (const { place, row } of rows) {
      const snapshots = (row.snapshots ?? []).map(readSnapshot);
      found.set(place, { ...row, created_at: new Date(row.created_at), snapshots });
    }
    return asked.map((_, index) => found.get(index + 1) ?? null);
  },
);

/** Selects an instance and one page of its snapshots. */
export const selectInstance = (
  db: Queryable,
  id: string,
  limit: number,
  offset: number,
): Promise<OneInstanceRow | null> => read(db, { id, limit, offset });
