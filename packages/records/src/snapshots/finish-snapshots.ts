import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import { insertAssets } from "../assets/snapshot-assets.js";
import { queueChanges } from "../changes/queue-changes.js";
import { markStoredOf } from "../contents/stored-contents.js";
import { showFetched } from "../instances/show-snapshots.js";
import { countFetched } from "../runs/run-counters.js";
import type { RunProgress } from "../runs/run-progress.js";

/** What a fetch ended with. `hash` is the SHA-256 of the bytes as hex, null where there are none. */
export interface FinishedSnapshot {
  id: string;
  fence: number;
  state: "done" | "failed";
  hash: string | null;
  stored_size: number;
  charset: string | null;
  /** `digestFiles(assets)` in hex. */
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
  /** What mode auto learned about the page from this load; null where nothing. */
  auto_mode: "http" | "browser" | null;
  /** Whether the load put to the test how auto loads the page. */
  auto_tested: boolean;
  asked_as: string;
  /** Files that the page needs; their bytes are stored and announced. */
  assets: FinishedAsset[];
}

/** A file as a snapshot keeps it; see the entity. `hash` as hex, null where it is missing. */
export interface FinishedAsset {
  url: string;
  base_url: string | null;
  kind: string;
  hash: string | null;
  content_type: string;
  extension: string;
  error: string | null;
}

const assetsOfDone = `
    SELECT m.id, a.url, a.base_url, a.kind, decode(a.hash, 'hex'), a.content_type, a.extension, a.error
    FROM moved m, jsonb_to_recordset(m.assets) AS a (url text, base_url text, kind text, hash text, content_type text, extension text, error text)
    WHERE m.state = 'done'`;

/*
 * One statement, so one transaction: the snapshots, their contents, their files, their comparisons to come, their instances and their
 * runs' counters move together or not at all. What belongs to another table is SQL of that table's folder.
 */
const finish = prepared(`
  WITH result AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (
      id uuid, fence int, state text, hash text, stored_size int, charset text, files_hash text, headers jsonb, http_status int, final_url text,
      redirects jsonb, error_code text, error text, warning text, duration_ms int, asked_as text,
      fetch_mode_used text, auto_mode text, auto_tested boolean, assets jsonb)
  ), moved AS (
    UPDATE test_snapshot s
    SET state = r.state, lease_until = NULL, fetched_at = now(), content_hash = decode(r.hash, 'hex'), charset = r.charset, files_hash = decode(r.files_hash, 'hex'), headers = r.headers,
        http_status = r.http_status, final_url = r.final_url, redirects = r.redirects, error_code = r.error_code, error = r.error,
        warning = r.warning, duration_ms = r.duration_ms, asked_as = r.asked_as, fetch_mode_used = r.fetch_mode_used
    FROM result r WHERE s.id = r.id AND s.fence = r.fence AND s.state = 'running'
    RETURNING s.id, s.run_id, s.test_instance_id, s.state, s.content_hash, s.http_status, s.error, r.stored_size, r.auto_mode, r.auto_tested, r.assets
  ), ${markStoredOf("moved")}, kept AS (
    ${insertAssets(assetsOfDone)}
  ), changes AS (
    ${queueChanges("SELECT id FROM moved WHERE state = 'done'")}
  ), instances AS (
    ${showFetched("moved")}
  ), ${countFetched("moved")}
  SELECT (SELECT coalesce(json_agg(id), '[]') FROM moved WHERE state = 'done') AS done,
         (SELECT coalesce(json_agg(id), '[]') FROM moved WHERE state = 'failed') AS failed,
         (SELECT coalesce(json_agg(counted), '[]') FROM counted) AS runs`);

/** @returns ids that really moved (a stale fence moves nothing) and the runs as they stand now */
export async function finishSnapshots(
  db: Queryable,
  results: readonly FinishedSnapshot[],
): Promise<{ done: string[]; failed: string[]; runs: RunProgress[] }> {
  const [row] = await db.query<{ done: string[]; failed: string[]; runs: RunProgress[] }>(finish, [storable(results)]);
  return row ?? { done: [], failed: [], runs: [] };
}

/** JSON text that PostgreSQL takes: it refuses NUL and lone surrogates in jsonb, which servers can send in headers. */
function storable(value: unknown): string {
  const json = JSON.stringify(value);
  // both come out as escapes; looking at every string one by one costs ten times as much
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "string" ? item.replaceAll("\0", "").toWellFormed() : item,
  );
}
