import { lifecycleSaid, saidAt } from "@web-tester/contracts/lifecycle-said";
import type { Queryable } from "@web-tester/platform/database/database";
import { markBack, markFound, markGone, markLost, unmarkFoundElsewhere } from "../instances/lifecycle-marks.js";
import { type FollowedMoves, followMoves } from "./follow-move.js";
import { classifyPage, type Outcome } from "./classify-page.js";
import { type ContentKey, selectLikePages } from "./like-pages.js";
import { foundBy, type ReadingRun, selectMissed, selectTwins } from "./missed-pages.js";
import { insertLifecycle, insertNewPages } from "./page-lifecycle.js";

/**
 * Decides what became of the pages that a run saw or missed: marks them, lets histories follow pages that moved, and records each event.
 * Call it once per run, in the transaction that reports the run.
 */
export async function settleLifecycle(tx: Queryable, run: ReadingRun, keyOf: ContentKey): Promise<void> {
  if (run.kind === "crawl" || run.kind === "sitemaps") await settleReading(tx, run, keyOf);
  else await settleFetch(tx, run);
}

const isWhole = `
  SELECT r.ended_by IS NULL AND NOT EXISTS (
    SELECT 1 FROM crawl_page p WHERE p.run_id = r.id AND p.state = 'failed' AND coalesce(p.http_status, 0) NOT IN (404, 410)
  ) AS whole FROM run r WHERE r.id = $1`;

async function settleReading(tx: Queryable, run: ReadingRun, keyOf: ContentKey): Promise<void> {
  const columns = foundBy(run.kind);
  const found = await markFound(tx, run.id, columns.own);
  const back = found.filter(({ was }) => was !== null);
  await insertLifecycle(tx, run.objectId, run.id, back.map(asBack));
  await unmarkFoundElsewhere(tx, run.id, run.objectId, columns);
  const [seen] = await tx.query<{ whole: boolean }>(isWhole, [run.id]);
  const twins = await selectTwins(tx, run.id);
  const missed = await selectMissed(tx, run);
  const isWholeRun = seen?.whole === true;
  const gone = missed.filter((page) => page.hash !== null && classifyPage(page, twins, isWholeRun)?.kind === "gone");
  const like = await selectLikePages(tx, run, idsOf(gone), keyOf);
  const goneIds = new Set(idsOf(gone));
  const orLike = new Map([...like, ...twins]);
  const classified = missed.flatMap((page) => {
    // merely similar content means the same page only if the old page is gone
    const known = goneIds.has(page.id) ? orLike : twins;
    const outcome = classifyPage(page, known, isWholeRun);
    return outcome === null ? [] : [{ id: page.id, url: page.url, outcome }];
  });
  const moves = countMoves(classified);
  const followed = await followMoves(
    tx,
    run.id,
    // if several pages moved to one address, no history follows
    classified.flatMap(({ id, outcome }) =>
      outcome.kind === "moved" && outcome.forGood && moves.get(outcome.to) === 1 ? [{ id, to: outcome.to }] : [],
    ),
  );
  await recordLost(tx, run, classified, followed);
  await insertNewPages(tx, run.id);
}

const idsOf = (pages: readonly { id: string }[]) => pages.map(({ id }) => id);

function asBack({ id, url, was }: { id: string; url: string; was: string | null }) {
  return {
    instance_id: id,
    kind: "back",
    url,
    said: was === "unlinked" ? lifecycleSaid.linkedAgain : lifecycleSaid.answersAgain,
  } as const;
}

interface Classified {
  id: string;
  url: string;
  outcome: Outcome;
}

/** Counts how many pages moved to each address. */
function countMoves(classified: readonly Classified[]): ReadonlyMap<string, number> {
  const moves = new Map<string, number>();
  for (const { outcome } of classified)
    if (outcome.kind === "moved") moves.set(outcome.to, (moves.get(outcome.to) ?? 0) + 1);
  return moves;
}

/** Marks pages that no run finds any more, and records what became of each. @param followed pages whose history followed them */
async function recordLost(
  tx: Queryable,
  run: ReadingRun,
  classified: readonly Classified[],
  { numbers, busy }: FollowedMoves,
): Promise<void> {
  const lost = classified.filter(({ id }) => !numbers.has(id));
  await markLost(
    tx,
    lost.map(({ id, outcome }) => ({ id, kind: outcome.kind, to: addressOf(outcome) })),
  );
  const again = await hiddenAgain(tx, idsOf(lost.filter(({ outcome }) => outcome.kind === "unlinked")));
  await insertLifecycle(
    tx,
    run.objectId,
    run.id,
    classified.map(({ id, url, outcome }) => ({
      ...{ instance_id: id, kind: outcome.kind, url, to_url: addressOf(outcome) },
      said: outcome.kind === "unlinked" ? (again.get(id) ?? "") : outcome.said,
      ...{ last_number: numbers.get(id) ?? null, waits: busy.has(id) },
    })),
  );
}

const addressOf = (outcome: Outcome) => (outcome.kind === "moved" ? outcome.to : null);

const linkedBefore = `
  SELECT DISTINCT ON (b.test_instance_id) b.test_instance_id AS id, b.created_at AS back FROM page_lifecycle b
  WHERE b.test_instance_id = ANY($1) AND b.kind = 'back' AND EXISTS (
    SELECT 1 FROM page_lifecycle u WHERE u.test_instance_id = b.test_instance_id AND u.kind = 'unlinked' AND u.id < b.id)
  ORDER BY b.test_instance_id, b.id DESC`;

/** Returns words for those of the pages no longer linked to which that happened before. */
async function hiddenAgain(tx: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.query<{ id: string; back: Date }>(linkedBefore, [ids]);
  return new Map(rows.map(({ id, back }) => [id, saidAt("hiddenAgain", back)]));
}

/*
 * Pages that changed or failed, and were as before when they were looked at again: they failed and then answered, or the second look found
 * the exact reverse of the change. It begins with the few that were looked at.
 */
const flapping = `
  SELECT i.id, i.url, s.state = 'failed' AS failed
  FROM run l JOIN test_snapshot a ON a.run_id = l.id AND a.state = 'done' CROSS JOIN LATERAL (
    SELECT f.id, f.state FROM test_snapshot f WHERE f.run_id = $1 AND f.test_instance_id = a.test_instance_id LIMIT 1
  ) s JOIN test_instance i ON i.id = a.test_instance_id
  LEFT JOIN change c ON c.snapshot_id = s.id LEFT JOIN test_snapshot p ON p.id = c.previous_id
  LEFT JOIN change b ON b.snapshot_id = a.id
  WHERE l.look_of = $1 AND (s.state = 'failed' OR (c.state = 'done' AND c.kind = 'changed' AND c.significant AND b.kind = 'changed' AND b.significant AND (
    a.content_hash = p.content_hash OR (
      (SELECT array_agg(t.added || E'\\x01' || t.removed ORDER BY 1) FROM change_hunk h JOIN hunk_text t ON t.test_object_id = i.test_object_id AND t.fingerprint = h.fingerprint WHERE h.snapshot_id = s.id AND t.kind IN ('content', 'moved'))
      = (SELECT array_agg(t.removed || E'\\x01' || t.added ORDER BY 1) FROM change_hunk h JOIN hunk_text t ON t.test_object_id = i.test_object_id AND t.fingerprint = h.fingerprint WHERE h.snapshot_id = a.id AND t.kind IN ('content', 'moved'))))))`;

async function settleFetch(tx: Queryable, run: ReadingRun): Promise<void> {
  const back = await markBack(tx, run.id);
  const flaps = await tx.query<{ id: string; url: string; failed: boolean }>(flapping, [run.id]);
  const gone = (await markGone(tx, run.id, idsOf(flaps))).filter(({ known }) => known);
  await insertLifecycle(tx, run.objectId, run.id, [
    ...back.map(({ id, url, since }) => ({
      instance_id: id,
      kind: "back" as const,
      url,
      said: saidAt("goneSince", since),
    })),
    ...gone.map(({ id, url, status }) => ({ instance_id: id, kind: "gone" as const, url, said: `HTTP ${status}` })),
    ...flaps.map(({ id, url, failed }) => ({
      instance_id: id,
      kind: "flapping" as const,
      url,
      said: failed ? lifecycleSaid.failedOnce : lifecycleSaid.changedOnce,
    })),
  ]);
}
