import type { TakenWith } from "@web-tester/contracts/visitor";
import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import { storableJson } from "./storable-json.js";
import { besideStatus } from "../changes/facts-of.js";
import { queueChanges, recordSame, sameBefore } from "../changes/queue-changes.js";
import { markStoredOf } from "../contents/stored-contents.js";
import { enterContents } from "../search/search-entries.js";
import { showFetched } from "../instances/show-snapshots.js";
import { inLockOrder } from "../leases/leased-rows.js";
import { stateIs } from "../leases/state-is.js";
import { countFetched } from "../runs/run-counters.js";
import type { RunProgress } from "../runs/run-progress.js";

/** The result of a fetch. `hash` is the SHA-256 of the bytes in hex, null when there are none. */
export interface FinishedSnapshot {
  id: string;
  fence: number;
  state: "done" | "failed";
  hash: string | null;
  stored_size: number;
  charset: string | null;
  /** The list of its files, announced before; null when none were looked for. */
  files_id: string | null;
  /** The `digestFiles` of its files, in hex. */
  files_hash: string | null;
  headers: Record<string, string | string[]>;
  http_status: number | null;
  final_url: string | null;
  redirects: { url: string; status: number }[];
  error_code: string | null;
  error: string | null;
  warning: string | null;
  duration_ms: number;
  fetch_mode_used: "http" | "browser" | null;
  /** What mode auto learned about the page from this load; null for nothing. */
  auto_mode: "http" | "browser" | null;
  /** Whether this load tested the way in which auto loads the page. */
  auto_tested: boolean;
  asked_as: string;
  taken_with: TakenWith;
  /** The page's new name; null when it keeps its name. */
  name: string | null;
}

/*
 * One statement, so one transaction: the snapshots, their contents, their queued comparisons, their instances and their runs' counters
 * change together or not at all. The SQL for another table comes from that table's folder.
 */
const finish = prepared(`
  WITH result AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (
      id uuid, fence int, state text, hash text, stored_size int, charset text, files_id uuid, files_hash text, headers jsonb, http_status int, final_url text,
      redirects jsonb, error_code text, error text, warning text, duration_ms int, asked_as text, taken_with jsonb,
      fetch_mode_used text, auto_mode text, auto_tested boolean, name text)
  ), moved AS (
    UPDATE test_snapshot s
    SET state = r.state, lease_until = NULL, fetched_at = now(), content_hash = decode(r.hash, 'hex'), charset = r.charset, files_id = r.files_id, files_hash = decode(r.files_hash, 'hex'), headers = r.headers,
        http_status = r.http_status, final_url = r.final_url, redirects = r.redirects, error_code = r.error_code, error = r.error,
        warning = r.warning, duration_ms = r.duration_ms, asked_as = r.asked_as, taken_with = r.taken_with, fetch_mode_used = r.fetch_mode_used
    FROM result r WHERE s.id = r.id AND s.fence = r.fence AND ${stateIs("s.state", "running")}
    RETURNING s.id, s.run_id, s.test_instance_id, s.state, s.content_hash, s.charset, s.files_id, s.files_hash, s.http_status, s.error, ${besideStatus("s")} AS facts, r.stored_size, r.auto_mode, r.auto_tested, r.name
  ), settled AS (
    SELECT m.*, ${sameBefore("m", "moved")} AS previous_id FROM moved m
  ), ${markStoredOf("moved")}, entered AS (
    ${enterContents("(SELECT test_instance_id, content_hash, charset FROM settled WHERE state = 'done' AND previous_id IS NULL)")}
  ), changes AS (
    ${queueChanges("SELECT id, test_instance_id, run_id FROM settled WHERE state = 'done' AND previous_id IS NULL")}
  ), unchanged AS (
    ${recordSame("SELECT id, previous_id FROM settled WHERE previous_id IS NOT NULL")}
  ), instances AS (
    ${showFetched("settled")}
  ), ${countFetched("moved")}
  SELECT (SELECT coalesce(json_agg(id), '[]') FROM settled WHERE state = 'done' AND previous_id IS NULL) AS done,
         (SELECT coalesce(json_agg(id), '[]') FROM settled WHERE previous_id IS NOT NULL) AS unchanged,
         (SELECT coalesce(json_agg(id), '[]') FROM moved WHERE state = 'failed') AS failed,
         (SELECT coalesce(json_agg(counted), '[]') FROM counted) AS runs`);

/** The ids of the rows that were changed (a stale fence changes nothing), and the runs after the change. */
export interface Finished {
  /** Snapshots that the differ has to compare. */
  done: string[];
  /** Snapshots equal to the ones before them, which need no comparison. */
  unchanged: string[];
  failed: string[];
  runs: RunProgress[];
}

export async function finishSnapshots(db: Queryable, results: readonly FinishedSnapshot[]): Promise<Finished> {
  const [row] = await db.query<Finished>(finish, [storableJson(inLockOrder(results))]);
  return row ?? { done: [], unchanged: [], failed: [], runs: [] };
}
