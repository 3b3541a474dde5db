import { AppError } from "@web-tester/contracts/errors";
import type { TakenWith } from "@web-tester/contracts/visitor";
import { sentPolicies } from "@web-tester/html/replay/content-policy";
import type { Database } from "@web-tester/platform/database/database";
import { selectAssets } from "@web-tester/records/assets/snapshot-assets";
import { visualKey } from "@web-tester/records/changes/visual-cache";
import { drawnHeightMax, type StoredPage } from "./draw-page.js";

/** To be raised whenever pages are drawn differently, so that cached pictures no longer count. */
const drawnVersion = 1;

/** Returns the cache key of a page's picture: equal pages are drawn once. @param kind of picture */
export function pictureKey(
  kind: "picture" | "thumbnail",
  { hash, charset, baseUrl, inBrowser, policies = [], assets, visit }: StoredPage,
): Buffer {
  const files = assets.map((asset) => [asset.url, asset.hash]).toSorted(([one], [other]) => compareText(one, other));
  const { viewport, language, timeZone } = visit;
  // the key of pages with no choice beyond the viewport stays as it was, so that their cached pictures still count
  const window = language === "" && timeZone === "" ? viewport : [viewport, language, timeZone].join("|");
  return visualKey(
    kind,
    drawnVersion,
    window,
    drawnHeightMax,
    hash,
    charset,
    baseUrl,
    inBrowser,
    files,
    // the word tells pictures from those of earlier releases, whose files no policy was asked about
    ...(policies.length > 0 ? [policies, "files"] : []),
  );
}

const compareText = (one: string | null | undefined, other: string | null | undefined): number =>
  (one ?? "") < (other ?? "") ? -1 : 1;

const nothingChosen = { viewport: "", language: "", timeZone: "" };

/**
 * Selects a page with the settings that it was taken with; for snapshots of earlier releases, with those of its object
 * now. @throws AppError not_found
 */
export async function selectPage(db: Database, snapshotId: string): Promise<StoredPage> {
  const [row] = await db.query<{
    object_id: string;
    hash: string | null;
    charset: string | null;
    base_url: string;
    in_browser: boolean;
    was_fetched: boolean;
    headers: Record<string, string | string[]> | null;
    taken_with: TakenWith | null;
    visit: StoredPage["visit"];
  }>(
    `SELECT i.test_object_id AS object_id, encode(s.content_hash, 'hex') AS hash, s.charset, coalesce(s.final_url, i.url) AS base_url,
            coalesce(s.fetch_mode_used = 'browser', false) AS in_browser, s.fetch_mode_used IS NOT NULL AS was_fetched, s.headers, s.taken_with,
            json_build_object('viewport', o.viewport, 'language', o.language, 'timeZone', o.time_zone) AS visit
     FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id JOIN test_object o ON o.id = i.test_object_id WHERE s.id = $1`,
    [snapshotId],
  );
  if (row === undefined || row.hash === null)
    throw new AppError("not_found", `Snapshot ${snapshotId} is gone, or was not fetched.`);
  return {
    objectId: row.object_id,
    hash: row.hash,
    charset: row.charset,
    baseUrl: row.base_url,
    inBrowser: row.in_browser,
    policies: row.was_fetched ? sentPolicies(row.headers) : undefined,
    visit: row.taken_with === null ? row.visit : { ...nothingChosen, ...row.taken_with },
    assets: await selectAssets(db, snapshotId),
  };
}
