import { setTimeout as sleep } from "node:timers/promises";
import type { LaneStack } from "./lane.ts";
import type { Accepted } from "./workload.ts";

/** Describes which of the accepted jobs are not in their final state; undefined if the database does not answer. */
export async function openOf(
  { db }: Pick<LaneStack, "db">,
  accepted: readonly Accepted[],
): Promise<string[] | undefined> {
  const ids = (kind: Accepted["kind"]) => accepted.filter((one) => one.kind === kind).map(({ id }) => id);
  try {
    const rows = await db.query<{ what: string }>(
      `SELECT format('%s %s at %s of %s', kind, id, completed, total) AS what FROM run WHERE id = ANY($1::uuid[]) AND state = 'running'
       UNION ALL SELECT format('fetch of one page %s is %s', id, state) FROM test_snapshot WHERE id = ANY($2::uuid[]) AND state IN ('queued', 'running')
       UNION ALL SELECT format('%s comparisons of %s', count(*), coalesce(s.run_id, s.id)) FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id
         WHERE c.state <> 'done' AND (s.run_id = ANY($1::uuid[]) OR s.id = ANY($2::uuid[])) GROUP BY coalesce(s.run_id, s.id)
       UNION ALL SELECT format('import %s is %s', id, state) FROM import_job WHERE id = ANY($3::uuid[]) AND state IN ('reading', 'applying')
       UNION ALL SELECT format('object %s is not deleted', id) FROM test_object WHERE id = ANY($4::uuid[])`,
      [ids("run"), ids("snapshot"), ids("import"), ids("deletion")],
    );
    return rows.map(({ what }) => what);
  } catch {
    return undefined;
  }
}

/** Describes all unfinished work in the database, also work that the workload does not know of; undefined if the database does not answer. */
export async function openAtAll({ db }: Pick<LaneStack, "db">): Promise<string[] | undefined> {
  try {
    const rows = await db.query<{ what: string }>(
      `SELECT format('%s %s at %s of %s', kind, id, completed, total) AS what FROM run WHERE state = 'running'
       UNION ALL SELECT format('%s snapshots %s', count(*), state) FROM test_snapshot WHERE state IN ('queued', 'running') GROUP BY state
       UNION ALL SELECT format('%s addresses %s', count(*), state) FROM crawl_page WHERE state IN ('queued', 'running') GROUP BY state
       UNION ALL SELECT format('%s comparisons', count(*)) FROM change WHERE state <> 'done' HAVING count(*) > 0
       UNION ALL SELECT format('import %s is %s', id, state) FROM import_job WHERE state IN ('reading', 'applying')`,
    );
    return rows.map(({ what }) => what);
  } catch {
    return undefined;
  }
}

const lookEveryMs = 150;

/** Waits until nothing is unfinished. @returns what still was after `withinMs`; empty if all was done */
export async function untilDone(
  look: () => Promise<string[] | undefined>,
  withinMs: number,
  signal: AbortSignal,
): Promise<string[]> {
  const end = performance.now() + withinMs;
  for (;;) {
    const open = await look();
    if (open !== undefined && open.length === 0) return [];
    if (performance.now() > end) return open ?? ["The database does not answer"];
    await sleep(lookEveryMs, undefined, { signal });
  }
}
