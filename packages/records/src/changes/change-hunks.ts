import type { GroupKind } from "@web-tester/contracts/entities/review";

/** One changed place that matters. Hashes are hex. */
export interface RecordedHunk {
  fingerprint: string;
  place: string;
  removed: string;
  added: string;
  kind: GroupKind;
  /** Hash of text that the fingerprint leaves out although people see it; null when there is none. */
  leftOut: string | null;
  /** Set for a part with a link that only came, or only went: a number from its words and addresses, negative where it went. */
  entry?: number;
}

/** A change and its changed places. */
interface WithHunks {
  significant: boolean;
  hunks: readonly RecordedHunk[];
}

/**
 * Prepares changes for a statement: rows with the fingerprints of their places, and separately the texts of the fingerprints, each only
 * once per object. Most pages of a release change in the same places, and PostgreSQL would have to parse the same texts for each of them.
 * @returns JSON of the changes, whose `hunks` are sorted fingerprints, none if the change does not matter, and whose `entries` belong to them
 * one by one; and JSON for `keepHunkTexts`
 */
export function withFingerprints(
  changes: readonly (WithHunks & { id: string; objectId: string })[],
): [rows: string, texts: string] {
  const texts = new Map<string, RecordedHunk & { objectId: string; sample: string }>();
  const rows = changes.map((change) => {
    const named = new Map<string, number>();
    for (const hunk of change.significant ? change.hunks : []) {
      const { id: sample, objectId } = change;
      const key = `${objectId} ${hunk.fingerprint}`;
      if (!texts.has(key)) texts.set(key, { ...hunk, objectId, sample });
      // of several parts with one fingerprint nobody could tell which one moved on
      named.set(hunk.fingerprint, named.has(hunk.fingerprint) ? 0 : (hunk.entry ?? 0));
    }
    const sorted = [...named].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const entries = sorted.map(([, entry]) => entry);
    return {
      ...{ ...change, hunks: sorted.map(([fingerprint]) => fingerprint) },
      ...(entries.some((entry) => entry !== 0) && { entries }),
    };
  });
  return [JSON.stringify(rows), JSON.stringify([...texts.values()])];
}

/** SQL: the fingerprints of a change as its row keeps them, null when there are none. @param hunks SQL of a JSON array of fingerprints in hex */
export const fingerprintsOf = (hunks: string) =>
  `(SELECT array_agg(decode(h, 'hex') ORDER BY h) FROM jsonb_array_elements_text(${hunks}) AS h)`;

/** SQL: the entries of a change as its row keeps them, in the order of its fingerprints; null when there are none. @param entries SQL of a JSON array of numbers */
export const entriesOf = (entries: string) =>
  `(SELECT array_agg(e::bigint ORDER BY place) FROM jsonb_array_elements_text(${entries}) WITH ORDINALITY AS t (e, place))`;

/**
 * SQL: the sets of fingerprints that changes have, each with the number of these changes and the first of them. Most pages of a release
 * changed in the same ways as others.
 * @param changes SELECT of `snapshot_id` and `hunks`
 */
export const countSets = (changes: string) =>
  `SELECT hunks, count(*) AS pages, min(snapshot_id::text) AS sample FROM (${changes}) c GROUP BY hunks`;

/**
 * SQL: for each fingerprint the number of changes that have it, and the first of these as its sample.
 * @param sets name of a CTE with what `countSets` selects, or that as a subquery with an alias
 */
export const countKinds = (sets: string) => `
    SELECT fingerprint, sum(pages)::int AS pages, min(sample)::uuid AS sample
    FROM (SELECT unnest(hunks) AS fingerprint, pages, sample FROM ${sets}) s GROUP BY 1`;

/**
 * SQL: CTEs that store the texts of fingerprints. An existing fingerprint is marked as in use, once a day, so that it is not collected
 * while the change that has it is written; if its text in this run differs from the stored one, the first such text is kept as the run's
 * sample.
 * @param samples SQL of what was recorded: `sample_id` and `run_id`, which may be null
 * @param texts parameter with the texts of `withFingerprints`
 */
export const keepHunkTexts = (samples: string, texts: string) => `
  named AS (
    SELECT r."objectId", decode(r.fingerprint, 'hex') AS fingerprint, r.place, r.removed, r.added, r.kind, r.sample
    FROM jsonb_to_recordset(${texts}::jsonb) AS r ("objectId" uuid, fingerprint text, place text, removed text, added text, kind text, sample uuid)
  ), hunk_samples AS (
    INSERT INTO hunk_sample (run_id, fingerprint, sample_id, removed, added)
    SELECT s.run_id, h.fingerprint, h.sample, h.removed, h.added
    FROM named h JOIN (${samples}) s ON s.sample_id = h.sample AND s.run_id IS NOT NULL
    JOIN hunk_text k ON k.test_object_id = h."objectId" AND k.fingerprint = h.fingerprint AND (k.removed, k.added) IS DISTINCT FROM (h.removed, h.added)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING
  ), hunk_texts AS (
    INSERT INTO hunk_text AS t (test_object_id, fingerprint, place, removed, added, kind)
    SELECT o.id, h.fingerprint, decode(h.place, 'hex'), h.removed, h.added, coalesce(h.kind, 'content')
    FROM named h JOIN test_object o ON o.id = h."objectId"
    WHERE NOT EXISTS (
      SELECT 1 FROM hunk_text k WHERE k.test_object_id = o.id AND k.fingerprint = h.fingerprint AND k.named_at > now() - interval '1 day')
    ORDER BY 1, 2
    ON CONFLICT (test_object_id, fingerprint) DO UPDATE SET named_at = now() WHERE t.named_at <= now() - interval '1 day'
  )`;
