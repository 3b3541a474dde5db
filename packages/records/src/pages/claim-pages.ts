import type { Queryable } from "@web-tester/platform/database/database";
import { claimRows } from "../leases/leased-rows.js";
import { prepared } from "@web-tester/platform/database/statement";
import type { SiteVisit } from "@web-tester/contracts/visitor";
import { visitOf } from "../objects/site-visit.js";
import { ownRobots } from "../hosts/robots-files.js";
import { objectOfRun } from "../runs/run-rules.js";

/** A frontier address that this worker may visit now. */
export interface ClaimedPage {
  id: string;
  fence: number;
  attempts: number;
  /** Attempts that failed because of the page or its server. */
  failures: number;
  runId: string;
  url: string;
  depth: number;
  objectId: string;
  objectUrl: string;
  excludeList: string[];
  scope: string;
  scopePrefixes: string[];
  dropParams: string[];
  ignoreRobots: boolean;
  requestDelayMs: number;
  fetchMode: string;
  pagesMax: number;
  depthMax: number;
  minutesMax: number;
  mibMax: number;
  authEnabled: boolean;
  authType: string;
  authUsername: string;
  authPasswordSealed: Buffer | null;
  visit: SiteVisit;
  /** Suffix that distinguishes the object's own copy of robots.txt from that of others (`ownRobots`). */
  robotsAs: string;
}

const claim = prepared(`${claimRows("crawl_page", ["run_id", "url", "depth"])}, ruled AS MATERIALIZED (
    SELECT run.id AS run_id, obeyed.* FROM run JOIN test_object o ON o.id = run.test_object_id
    CROSS JOIN LATERAL ${objectOfRun("run", "o")} obeyed
    WHERE run.id IN (SELECT run_id FROM claimed)
  )
  SELECT c.id, c.fence, c.attempts, c.failures, c.run_id AS "runId", c.url, c.depth, o.id AS "objectId", o.url AS "objectUrl", o.exclude_list AS "excludeList",
         o.scope, o.scope_prefixes AS "scopePrefixes", o.drop_params AS "dropParams", o.ignore_robots AS "ignoreRobots", o.request_delay_ms AS "requestDelayMs",
         o.crawl_pages_max AS "pagesMax", o.crawl_depth_max AS "depthMax", o.crawl_minutes_max AS "minutesMax", o.crawl_mib_max AS "mibMax",
         o.fetch_mode AS "fetchMode", o.auth_enabled AS "authEnabled", o.auth_type AS "authType", o.auth_username AS "authUsername", o.auth_password_sealed AS "authPasswordSealed",
         ${visitOf("o")} AS visit,
         ${ownRobots("o")} AS "robotsAs"
  FROM claimed c JOIN ruled o ON o.run_id = c.run_id
  ORDER BY c.id`);

/** Like claimSnapshots, for the addresses of a crawl. The settings are those with which the crawl began. */
export function claimPages(
  db: Queryable,
  ids: readonly string[],
  leaseMs: number,
  alone = false,
): Promise<ClaimedPage[]> {
  return db.query<ClaimedPage>(claim, [ids, leaseMs, alone]);
}
