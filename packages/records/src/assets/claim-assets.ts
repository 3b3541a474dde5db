import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";

/** The known state of a site's file. `hash`: SHA-256 in hex, null when the file is missing. */
export interface KnownAsset {
  url: string;
  baseUrl: string | null;
  hash: string | null;
  /** Size in bytes, 0 when the file is missing. */
  size: number;
  contentType: string;
  extension: string;
  error: string | null;
}

/** What an earlier round stored of a file, for a conditional request. */
export interface EarlierAsset extends KnownAsset {
  etag: string | null;
  lastModified: string | null;
  /** Whether no page has needed the file for most of a day, as far as that is known. */
  isOfEarlierDay: boolean;
}

/** The result of claiming one file. */
export type AssetClaim =
  /** The file was already loaded in this round. */
  | { state: "known"; asset: KnownAsset }
  /** This worker has to load the file now. */
  | { state: "claimed"; earlier: EarlierAsset | null }
  /** Another worker is loading it. */
  | { state: "busy" };

const claim = prepared(`
  WITH taken AS (
    INSERT INTO site_asset AS a (test_object_id, url, claimed_by, claimed_until)
    VALUES ($1, $2, $3, now() + $4::int * interval '1 ms')
    ON CONFLICT (test_object_id, url) DO UPDATE SET claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
    WHERE (a.round IS DISTINCT FROM $3 OR (a.content_hash IS NULL AND a.error IS NULL)) AND (a.claimed_by IS DISTINCT FROM $3 OR a.claimed_until < now())
    RETURNING a.*
  ), seen AS (
    SELECT true AS taken, t.* FROM taken t
    UNION ALL
    SELECT false, a.* FROM site_asset a WHERE a.test_object_id = $1 AND a.url = $2 AND NOT EXISTS (SELECT 1 FROM taken)
  )
  SELECT s.taken, s.round = $3 AS known, s.url, s.base_url AS "baseUrl", encode(s.content_hash, 'hex') AS hash, coalesce(c.size, 0) AS size,
         s.content_type AS "contentType", s.extension, s.error, s.etag, s.last_modified AS "lastModified",
         s.seen_at < now() - interval '20 hours' AS "isOfEarlierDay"
  FROM seen s LEFT JOIN content c ON c.hash = s.content_hash`);

interface ClaimRow extends EarlierAsset {
  taken: boolean;
  known: boolean | null;
}

/**
 * Tries to lease the loading of a file in a round, for `leaseMs`. Only one worker of all replicas gets the lease; the others retry until
 * they find the result.
 */
export async function claimAsset(
  db: Queryable,
  { objectId, url, round, leaseMs }: { objectId: string; url: string; round: string; leaseMs: number },
): Promise<AssetClaim> {
  const [row] = await db.query<ClaimRow>(claim, [objectId, url, round, leaseMs]);
  if (row === undefined) return { state: "busy" };
  if (row.taken) return { state: "claimed", earlier: row.hash === null ? null : row };
  return row.known === true ? { state: "known", asset: row } : { state: "busy" };
}

/** Renews the lease of a claim while the load goes on; a lease that has ended is not revived. */
export async function renewAsset(
  db: Queryable,
  { objectId, url, round, leaseMs }: { objectId: string; url: string; round: string; leaseMs: number },
): Promise<void> {
  await db.query(
    `UPDATE site_asset SET claimed_until = now() + $4::int * interval '1 ms' WHERE test_object_id = $1 AND url = $2 AND claimed_by = $3`,
    [objectId, url, round, leaseMs],
  );
}

const lookUp = prepared(`
  SELECT a.url, a.base_url AS "baseUrl", encode(a.content_hash, 'hex') AS hash, coalesce(c.size, 0) AS size, a.content_type AS "contentType",
         a.extension, a.error
  FROM site_asset a LEFT JOIN content c ON c.hash = a.content_hash
  WHERE a.test_object_id = $1 AND a.round = $2 AND a.url = ANY($3) AND (a.content_hash IS NOT NULL OR a.error IS NOT NULL)`);

/** Returns those of the given files that were already loaded in this round. */
export function knownAssets(
  db: Queryable,
  objectId: string,
  round: string,
  urls: readonly string[],
): Promise<KnownAsset[]> {
  return db.query<KnownAsset>(lookUp, [objectId, round, urls]);
}

/** Releases a claim, so that the next worker of any round may load the file. */
export async function forgetAsset(db: Queryable, objectId: string, url: string): Promise<void> {
  await db.query(
    `UPDATE site_asset SET round = NULL, claimed_by = NULL, claimed_until = NULL WHERE test_object_id = $1 AND url = $2`,
    [objectId, url],
  );
}
