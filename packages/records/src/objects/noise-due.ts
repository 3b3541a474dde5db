import type { Queryable } from "@web-tester/platform/database/database";

/** Sites with fewer pages are reviewed by hand as fast. */
const pagesMin = 10;

const want = `
  UPDATE test_object o SET noise_state = 'due' WHERE id = $1 AND noise_state = 'open' AND noise_mode <> 'off'
    AND (SELECT count(*) FROM (
      SELECT 1 FROM test_snapshot WHERE run_id = $2 AND state = 'done' AND content_hash IS NOT NULL LIMIT ${pagesMin}) kept) = ${pagesMin}`;

/** Number of Fetch Alls between two searches for noise in the history. */
const fetchesBetween = 4;

/* More than a third of the pages, the same bound at which a review offers to find noise. */
const wantAgain = `
  UPDATE test_object o SET noise_state = 'again' FROM run f
  WHERE o.id = $1 AND o.noise_state = 'tried' AND o.noise_mode <> 'off' AND f.id = $2 AND f.total >= ${pagesMin} AND f.changed * 3 > f.total
    AND EXISTS (
      SELECT 1 FROM (
        SELECT id FROM run WHERE test_object_id = $1 AND kind = 'snapshot-all' AND id <= $2 ORDER BY id DESC OFFSET ${fetchesBetween - 1} LIMIT 1
      ) earlier WHERE NOT EXISTS (SELECT 1 FROM run n WHERE n.test_object_id = $1 AND n.kind = 'noise' AND n.id > earlier.id))`;

/**
 * Schedules the search for noise, if the object wants it: once after the first Fetch All; later, after a Fetch All in which more than a
 * third of the pages changed, but only every few fetches, a search in the history.
 */
export async function wantNoise(tx: Queryable, objectId: string, fetchId: string): Promise<void> {
  await tx.query(want, [objectId, fetchId]);
  await tx.query(wantAgain, [objectId, fetchId]);
}

/** An object whose noise has to be determined now. */
export interface NoiseDue {
  objectId: string;
  /** Whether rules that are found are put in force at once. */
  apply: boolean;
  /** Whether pages are fetched for it; the history needs no fetch. */
  fetch: boolean;
}

/** The number of newest runs that are searched for one started by a person. */
const newestRuns = 30;

/* Only runs started by people count: schedules do not, because one that fetches every few minutes would put the search off forever. */
const take = `
  SELECT o.id AS "objectId", o.noise_mode = 'apply' AS apply, o.noise_state = 'due' AS fetch FROM test_object o
  WHERE o.noise_state IN ('due', 'again') AND o.noise_mode <> 'off' AND NOT o.deleting
    AND NOT EXISTS (SELECT 1 FROM run r WHERE r.test_object_id = o.id AND r.state = 'running')
    AND NOT EXISTS (
      SELECT 1 FROM (SELECT finished_at, started_by FROM run WHERE test_object_id = o.id ORDER BY id DESC LIMIT ${newestRuns}) newest
      WHERE newest.started_by NOT IN ('schedule', 'product') AND newest.finished_at > now() - make_interval(secs => $1))
  ORDER BY o.id LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED`;

/** @param quietSeconds how long ago the last run started by a person must have ended @returns null when no object is due */
export async function takeNoiseDue(tx: Queryable, quietSeconds: number): Promise<NoiseDue | null> {
  const [row] = await tx.query<NoiseDue>(take, [quietSeconds]);
  return row ?? null;
}

/** Marks the search as done, so that it is not scheduled in this way again. */
export async function markNoiseTried(tx: Queryable, objectId: string): Promise<void> {
  await tx.query(`UPDATE test_object SET noise_state = 'tried' WHERE id = $1`, [objectId]);
}
