import type { Queryable } from "@web-tester/platform/database/database";
import { claimRows, heldColumns } from "../leases/leased-rows.js";
import { stateIs } from "../leases/state-is.js";
import { prepared } from "@web-tester/platform/database/statement";
import type { KeptScripts } from "@web-tester/contracts/entities/vocabulary";
import type { SiteVisit, TakenWith } from "@web-tester/contracts/visitor";
import { askedWith, visitOf } from "../objects/site-visit.js";
import { ownRobots } from "../hosts/robots-files.js";

/** A snapshot that this worker may fetch now, with everything that it needs to know. `fence` proves the claim when the fetch is finished. */
export interface ClaimedSnapshot {
  id: string;
  fence: number;
  attempts: number;
  /** Attempts that failed because of the page or its server. */
  failures: number;
  runId: string | null;
  instanceId: string;
  url: string;
  /** Name of the page. */
  name: string;
  objectId: string;
  objectUrl: string;
  requestDelayMs: number;
  /** auto, http or browser. */
  fetchMode: string;
  /** The way of loading that mode auto last learned for this page, null when it was never loaded; below, the number of loads since that was last tested. */
  autoMode: string | null;
  autoModeLoads: number;
  /** quiet, selector or time; below, what the last two wait for. */
  readyWhen: string;
  readySelector: string;
  readyMs: number;
  assetSnapshots: boolean;
  keepScripts: KeptScripts;
  authEnabled: boolean;
  authType: string;
  authUsername: string;
  authPasswordSealed: Buffer | null;
  visit: SiteVisit;
  /** Digest of the settings that influence what the server is asked for. */
  askedAs: string;
  /** Hex; the content that serves as dictionary for the object's pages, null until one is found. */
  dictionary: string | null;
  /** The newest finished snapshot of the page before this one; null when there is none or its content is lost. */
  previous: PreviousSnapshot | null;
}

/** What the next fetch needs to know of an earlier snapshot. Hashes are hex. */
export interface PreviousSnapshot {
  hash: string;
  /** Size of the content in bytes. */
  size: number;
  /** The content that the page's versions are stored against. */
  keyframe: string;
  charset: string | null;
  /** The list of its files, null when none were looked for, and their `digestFiles`. */
  filesId: string | null;
  filesHash: string | null;
  headers: Record<string, string | string[]>;
  finalUrl: string | null;
  redirected: boolean;
  askedAs: string | null;
  /** Which scripts are among its files; null when none were looked for. */
  scripts: TakenWith["scripts"] | null;
  /** Whether the whole page is to be asked for, because the server has been taken at its word (304) for long. */
  wholeIsDue: boolean;
}

/** Of so many snapshots of a page, the server is asked for one as a whole, whatever its validators say. */
const wholeEvery = 20;

/**
 * SQL: whether the whole page is due, as the newest snapshot rests on the server's word (304): some servers keep a validator when the page
 * changes. The number of the snapshot says it without a look at those before; the page's id spreads the pages of a site over the fetches.
 */
const wholeIsDue = (snapshot: string) =>
  `coalesce(${snapshot}.http_status = 304, false) AND ${snapshot}.number >= ${wholeEvery}
        AND (${snapshot}.number + get_byte(uuid_send(${snapshot}.test_instance_id), 15)) % ${wholeEvery} = 0`;

// secrets are encrypted under a fresh nonce: saving the same password again looks like a change, which costs one full answer
const askedAs = `md5(concat_ws('|', o.fetch_mode, array_to_string(o.drop_params, ','),
  CASE WHEN o.auth_enabled THEN concat_ws('|', o.auth_type, o.auth_username, encode(o.auth_password_sealed, 'hex')) END, ${askedWith("o")}))`;

/** SQL: the columns of a page that is to be loaded. */
const pageColumns = `
         i.id AS "instanceId", i.url, i.name, o.id AS "objectId", o.url AS "objectUrl",
         greatest(o.request_delay_ms, (SELECT max(delay_ms) FROM substring(i.url FROM '^https?://[^/?#]+') AS site
           JOIN robots_file r ON r.origin IN (site, site || ${ownRobots("o")}) WHERE NOT o.ignore_robots)) AS "requestDelayMs",
         o.fetch_mode AS "fetchMode", i.auto_mode AS "autoMode", i.auto_mode_loads AS "autoModeLoads",
         o.ready_when AS "readyWhen", o.ready_selector AS "readySelector", o.ready_ms AS "readyMs",
         o.asset_snapshots AS "assetSnapshots", o.keep_scripts AS "keepScripts", o.auth_enabled AS "authEnabled", o.auth_type AS "authType", o.auth_username AS "authUsername", o.auth_password_sealed AS "authPasswordSealed",
         ${visitOf("o")} AS visit,
         ${askedAs} AS "askedAs"`;

const claim = prepared(`${claimRows("test_snapshot", ["run_id", "test_instance_id"])}
  SELECT c.id, c.fence, c.attempts, c.failures, c.run_id AS "runId", ${pageColumns},
         encode(o.dictionary_hash, 'hex') AS dictionary, p.previous
  FROM claimed c
  JOIN test_instance i ON i.id = c.test_instance_id
  JOIN test_object o ON o.id = i.test_object_id
  LEFT JOIN LATERAL (
    SELECT json_build_object('hash', encode(b.hash, 'hex'), 'size', b.size, 'keyframe', encode(CASE WHEN b.depth = 0 THEN b.hash ELSE b.base_hash END, 'hex'),
      'charset', s.charset, 'filesId', s.files_id, 'filesHash', encode(s.files_hash, 'hex'), 'headers', s.headers, 'finalUrl', coalesce(s.final_url, i.url), 'redirected', coalesce(jsonb_array_length(s.redirects), 0) > 0,
      'askedAs', s.asked_as, 'scripts', s.taken_with ->> 'scripts', 'wholeIsDue', ${wholeIsDue("s")}) AS previous
    FROM (SELECT * FROM test_snapshot d WHERE d.test_instance_id = i.id AND d.id < c.id AND d.state = 'done' ORDER BY d.id DESC LIMIT 1) s
    JOIN content b ON b.hash = s.content_hash AND b.stored
  ) p ON true
  ORDER BY c.id`);

/**
 * Claims queued snapshots, and running ones whose lease has ended, under a new fence. Finished rows and those leased by other workers are
 * left out, so a message that comes twice does its work only once.
 * @param alone claims a single row whose workers died, and no other
 */
export function claimSnapshots(
  db: Queryable,
  ids: readonly string[],
  leaseMs: number,
  alone = false,
): Promise<ClaimedSnapshot[]> {
  return db.query<ClaimedSnapshot>(claim, [ids, leaseMs, alone]);
}

const asIs = `
  SELECT uuidv7() AS id, 0 AS fence, 1 AS attempts, 0 AS failures, NULL AS "runId", ${pageColumns}, NULL AS dictionary, NULL AS previous
  FROM test_instance i JOIN test_object o ON o.id = i.test_object_id WHERE i.id = $1`;

/** Returns a page to be loaded without a snapshot: the result is not stored. */
export async function selectProbed(db: Queryable, instanceId: string): Promise<ClaimedSnapshot | null> {
  const [row] = await db.query<ClaimedSnapshot>(asIs, [instanceId]);
  return row === undefined ? null : { ...row, assetSnapshots: false };
}

const postpone = `
  UPDATE test_snapshot s SET state = 'queued', queued_at = now(), lease_until = NULL, failures = s.failures + 1
  FROM unnest($1::uuid[], $2::int[]) AS held (id, fence)
  WHERE s.id = held.id AND s.fence = held.fence AND ${stateIs("s.state", "running")}`;

/** Releases snapshots that failed because of the page or its server, to be retried; counts the failure. */
export async function postponeSnapshots(db: Queryable, held: readonly { id: string; fence: number }[]): Promise<void> {
  if (held.length > 0) await db.query(postpone, heldColumns(held));
}
