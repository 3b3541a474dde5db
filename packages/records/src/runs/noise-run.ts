import type { Queryable } from "@web-tester/platform/database/database";
import { lostRows, type Recoverable } from "../leases/lost-rows.js";
import { progressColumns } from "./run-counters.js";
import type { RunProgress } from "./run-progress.js";

/**
 * What a search for noise does. `apply`: rules that it finds are put in force, not only proposed. `fetch`: pages are fetched twice;
 * otherwise only the history is examined.
 */
export interface NoiseChoice {
  apply: boolean;
  fetch: boolean;
}

/** A search for noise that is running. */
export interface NoiseRun extends NoiseChoice {
  id: string;
  objectId: string;
}

const select = `
  SELECT id, test_object_id AS "objectId", coalesce((rules ->> 'apply')::boolean, false) AS apply,
    coalesce((rules ->> 'fetch')::boolean, true) AS fetch
  FROM run WHERE id = $1 AND state = 'running' AND kind = 'noise'`;

/** @returns null when it is over */
export async function selectNoiseRun(db: Queryable, runId: string): Promise<NoiseRun | null> {
  const [row] = await db.query<NoiseRun>(select, [runId]);
  return row ?? null;
}

/** Stores what a search for noise has to do, in `run.rules`. */
export async function keepNoiseChoice(tx: Queryable, runId: string, { apply, fetch }: NoiseChoice): Promise<void> {
  await tx.query(
    `UPDATE run SET rules = jsonb_build_object('apply', $2::boolean, 'fetch', $3::boolean) WHERE id = $1`,
    [runId, apply, fetch],
  );
}

const count = `
  UPDATE run SET completed = least($2, total), failed = least($3, $2, total), queued_at = now()
  WHERE id = $1 AND state = 'running' RETURNING ${progressColumns}`;

/** @param completed pages that were fetched twice, or could not be @returns null when the run was stopped */
export async function countProbed(
  db: Queryable,
  runId: string,
  completed: number,
  failed: number,
): Promise<RunProgress | null> {
  const [row] = await db.query<RunProgress>(count, [runId, completed, failed]);
  return row ?? null;
}

const total = `UPDATE run SET total = $2, completed = 0, failed = 0, queued_at = now() WHERE id = $1 AND state = 'running' RETURNING ${progressColumns}`;

/** Sets the number of pages to be fetched. @returns null when the run was stopped */
export async function setProbes(db: Queryable, runId: string, pages: number): Promise<RunProgress | null> {
  const [row] = await db.query<RunProgress>(total, [runId, pages]);
  return row ?? null;
}

const finish = `
  UPDATE run SET state = 'finished', completed = total, found_new = $2, finished_at = now()
  WHERE id = $1 AND state = 'running' RETURNING ${progressColumns}`;

/** @param found number of rules that were created @returns null when the run was stopped */
export async function finishNoise(tx: Queryable, runId: string, found: number): Promise<RunProgress | null> {
  const [row] = await tx.query<RunProgress>(finish, [runId, found]);
  return row ?? null;
}

/** Number of consecutive fetches of a page from which it is learned what differs in every one. */
const pastMax = 6;

/* Versions of the last ten minutes (`recent`) also show what differs only seldom. Lost content is left out: a search that met it starts again without it. */
const pages = `
  SELECT i.id, i.url, encode(s.content_hash, 'hex') AS hash, s.charset, (
    SELECT coalesce(json_agg(json_build_object('sha256', encode(r.content_hash, 'hex'), 'charset', coalesce(r.charset, 'utf-8')) ORDER BY r.id DESC), '[]')
    FROM (
      SELECT p.id, p.content_hash, p.charset FROM test_snapshot p JOIN content c ON c.hash = p.content_hash AND c.stored
      WHERE p.test_instance_id = i.id AND p.state = 'done' AND p.fetched_at > now() - interval '10 minutes'
      ORDER BY p.id DESC LIMIT 3
    ) r
  ) AS recent, (
    SELECT coalesce(json_agg(json_build_object('sha256', encode(r.content_hash, 'hex'), 'charset', coalesce(r.charset, 'utf-8')) ORDER BY r.id), '[]')
    FROM (
      SELECT p.id, p.content_hash, p.charset FROM test_snapshot p JOIN content c ON c.hash = p.content_hash AND c.stored
      WHERE p.test_instance_id = i.id AND p.state = 'done' ORDER BY p.id DESC LIMIT ${pastMax}
    ) r
  ) AS past
  FROM test_instance i JOIN test_snapshot s ON s.id = i.last_snapshot_id AND s.state = 'done' JOIN content c ON c.hash = s.content_hash AND c.stored
  WHERE i.test_object_id = $1 ORDER BY md5(i.id::text) LIMIT $2`;

/** A page that may be fetched in a search for noise, with its newest content. */
export interface NoisePage {
  id: string;
  url: string;
  hash: string;
  charset: string | null;
  /** Contents of the last ten minutes, newest first. */
  recent: { sha256: string; charset: string }[];
  /** Contents of the last fetches, oldest first; equal ones are repeated. */
  past: { sha256: string; charset: string }[];
}

/** Selects a sample of pages from all over an object, the same ones each time; only pages whose last fetch succeeded. */
export function selectNoisePages(db: Queryable, objectId: string, limit: number): Promise<NoisePage[]> {
  return db.query<NoisePage>(pages, [objectId, limit]);
}

const files = `
  SELECT a.url, min(i.id::text) AS "instanceId", count(DISTINCT i.id)::int AS pages
  FROM test_instance i
  JOIN test_snapshot s ON s.id = i.last_snapshot_id AND s.state = 'done'
  JOIN snapshot_asset a ON a.list_id = s.files_id
  WHERE i.id = ANY($1) AND a.content_hash IS NOT NULL
  GROUP BY a.url ORDER BY pages DESC, a.url LIMIT $2`;

/** A file that may be fetched in a search for noise: the number of pages that need it, and one of these. */
export interface NoiseFile {
  url: string;
  instanceId: string;
  pages: number;
}

/** Returns the files of the pages' newest snapshots, those needed by most pages first. */
export function selectNoiseFiles(db: Queryable, instanceIds: readonly string[], limit: number): Promise<NoiseFile[]> {
  return db.query<NoiseFile>(files, [instanceIds, limit]);
}

/** Recovers searches for noise that lost their message. */
export const lostNoise: Recoverable<"noise"> = {
  name: "noise",
  requeueExpired: async () => 0,
  ...lostRows({ table: "run", key: "id", waiting: "state = 'running' AND kind = 'noise'", atOnce: 2 }),
  body: ([runId]) => {
    if (runId === undefined) throw new Error("a message of no run");
    return { runId };
  },
};
