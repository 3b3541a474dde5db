import type { Queryable } from "@web-tester/platform/database/database";
import { requeueChanges } from "../changes/queue-changes.js";
import { ensureInstance } from "../instances/create-instances.js";
import { removeEmptyInstances, renameInstances, setLastNumber } from "../instances/lifecycle-marks.js";
import { resetInstances, showImported } from "../instances/show-snapshots.js";
import { relinkPages } from "../pages/settle-pages.js";
import { moveRules } from "../rules/ignore-rules.js";
import { adoptSnapshots, deleteDoubles, fetchingBoth, withOpenSnapshots } from "../snapshots/adopt-snapshots.js";
import { markUndone, settleWaiting } from "./page-lifecycle.js";

/** An instance and the address to which its page moved. */
export interface Move {
  id: string;
  to: string;
}

interface Ends {
  id: string;
  objectId: string;
  objectUrl: string;
  fromUrl: string;
  lastNumber: number;
  toId: string;
  toUrl: string;
  toName: string;
  toNumber: number;
  byCrawl: boolean;
  bySitemaps: boolean;
}

/* New pages that this run created at the addresses to which other pages moved. */
const ends = `
  SELECT x.id, o.id AS "objectId", o.url AS "objectUrl", x.url AS "fromUrl", x.last_number AS "lastNumber", y.id AS "toId", y.url AS "toUrl",
    y.name AS "toName", y.last_number AS "toNumber", y.by_crawl AS "byCrawl", y.by_sitemaps AS "bySitemaps"
  FROM unnest($1::uuid[], $2::text[]) AS m (id, "to")
  JOIN test_instance x ON x.id = m.id JOIN test_object o ON o.id = x.test_object_id JOIN run r ON r.id = $3
  JOIN test_instance y ON y.test_object_id = x.test_object_id AND y.url = m."to" AND y.created_at BETWEEN r.created_at AND r.finished_at
  WHERE x.id <> y.id FOR UPDATE OF x, y`;

/** Path and query, which rules use to name pages. */
const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** What became of moves that histories were to follow. */
export interface FollowedMoves {
  /** By instance, the number of its newest snapshot before the move. */
  numbers: Map<string, number>;
  /** Instances whose history can follow later, because one of the two pages is being fetched now. */
  busy: Set<string>;
}

/**
 * Moves the history, baseline and rules of pages to the addresses of new pages, whose snapshots become theirs. A site that was given
 * another folder has thousands of them, so all are moved together. Nothing is moved where the address is no page that the run created, or
 * the page is the object's own URL.
 * @param moves each page and each address once
 */
export async function followMoves(tx: Queryable, runId: string, moves: readonly Move[]): Promise<FollowedMoves> {
  const { found, busy } = await selectFollowed(tx, runId, moves);
  const [first] = found;
  if (first === undefined) return { numbers: new Map(), busy };
  const oldest = await joinHistories(tx, runId, found);
  const ids = found.map(({ id }) => id);
  await showImported(tx, ids);
  await requeueChanges(tx, oldest);
  const paths = found.map(({ fromUrl, toUrl }) => ({ from: pathOf(fromUrl), to: pathOf(toUrl) }));
  await moveRules(tx, first.objectId, paths);
  return { numbers: new Map(found.map(({ id, lastNumber }) => [id, lastNumber])), busy };
}

/** Gives pages the snapshots and addresses of the new pages. @returns the oldest snapshot that each got */
async function joinHistories(tx: Queryable, runId: string, found: readonly Ends[]): Promise<string[]> {
  await deleteDoubles(tx, found.map(asSamePage));
  const oldest = await adoptSnapshots(
    tx,
    found.map(({ id, toId, lastNumber }) => ({ from: toId, to: id, shift: lastNumber, above: 0 })),
  );
  await relinkPages(
    tx,
    runId,
    found.map(({ id, toId }) => ({ from: toId, to: id })),
  );
  await removeEmptyInstances(
    tx,
    found.map(({ toId }) => toId),
  );
  await renameInstances(
    tx,
    found.map(({ id, toUrl: url, toName: name, toNumber: numbers, byCrawl, bySitemaps }) => ({
      ...{ id, url, name, numbers, byCrawl, bySitemaps, movedTo: null },
    })),
  );
  return oldest;
}

const asSamePage = ({ id, toId }: Ends) => ({ one: id, other: toId });

/** Returns the moves that histories can follow, with both instances locked. */
async function selectFollowed(
  tx: Queryable,
  runId: string,
  moves: readonly Move[],
): Promise<{ found: Ends[]; busy: Set<string> }> {
  if (moves.length === 0) return { found: [], busy: new Set() };
  const ids = moves.map(({ id }) => id);
  const addresses = moves.map(({ to }) => to);
  const known = await tx.query<Ends>(ends, [ids, addresses, runId]);
  const other = known.filter(({ fromUrl, objectUrl }) => fromUrl !== objectUrl);
  const open = await withOpenSnapshots(
    tx,
    other.flatMap(({ id, toId }) => [id, toId]),
  );
  const together = await fetchingBoth(tx, other.map(asSamePage));
  const isBusy = ({ id, toId }: Ends) => open.has(id) || open.has(toId) || together.has(id);
  return {
    found: other.filter((one) => !isBusy(one)),
    busy: new Set(other.filter(isBusy).map(({ id }) => id)),
  };
}

const waiting = `
  SELECT l.run_id AS "runId", i.id, l.to_url AS "to" FROM page_lifecycle l JOIN test_instance i ON i.id = l.test_instance_id
  WHERE l.test_object_id = $1 AND l.waits AND i.lifecycle = 'moved' AND i.lifecycle_to = l.to_url`;

/**
 * Lets histories follow pages that were being fetched when their move was reported.
 * @returns whether any did, so that comparisons are queued again
 */
export async function followWaiting(tx: Queryable, objectId: string): Promise<boolean> {
  const rows = await tx.query<Move & { runId: string }>(waiting, [objectId]);
  const byRun = Map.groupBy(rows, ({ runId }) => runId);
  const numbers = new Map<string, number>();
  const busy = new Set<string>();
  for (const [runId, moves] of byRun) {
    const followed = await followMoves(tx, runId, moves);
    for (const [id, number] of followed.numbers) numbers.set(id, number);
    for (const id of followed.busy) busy.add(id);
  }
  await settleWaiting(tx, objectId, numbers, busy);
  return numbers.size > 0;
}

interface Followed {
  objectId: string;
  instanceId: string;
  name: string;
  fromUrl: string;
  toUrl: string;
  lastNumber: number;
  number: number;
  taken: boolean;
}

const followed = `
  SELECT l.test_object_id AS "objectId", i.id AS "instanceId", i.name, l.url AS "fromUrl", l.to_url AS "toUrl", l.last_number AS "lastNumber",
    i.last_number AS number, EXISTS (SELECT 1 FROM test_instance t WHERE t.test_object_id = l.test_object_id AND t.url = l.url) AS taken
  FROM page_lifecycle l JOIN test_instance i ON i.id = l.test_instance_id
  WHERE l.id = $1 AND l.kind = 'moved' AND l.last_number IS NOT NULL AND l.undone_at IS NULL AND i.url = l.to_url FOR UPDATE OF l, i`;

/** The result of an undo: `none`: there is nothing to undo; `taken`: the old address has a page again; `busy`: the page is being fetched. */
export type Undone = "undone" | "none" | "taken" | "busy";

/** Splits a page whose history had followed a move into two again: snapshots since the move belong to the new address. */
export async function undoMove(tx: Queryable, id: string): Promise<Undone> {
  const [move] = await tx.query<Followed>(followed, [id]);
  if (move === undefined) return "none";
  if (move.taken) return "taken";
  const { instanceId, objectId, fromUrl, toUrl, lastNumber } = move;
  if ((await withOpenSnapshots(tx, [instanceId])).size > 0) return "busy";
  const old = { id: instanceId, url: fromUrl, name: pathOf(fromUrl), numbers: 0 };
  await renameInstances(tx, [{ ...old, byCrawl: false, bySitemaps: false, movedTo: toUrl }]);
  const newId = await ensureInstance(tx, objectId, toUrl, move.name);
  const oldest = await adoptSnapshots(tx, [{ from: instanceId, to: newId, shift: -lastNumber, above: lastNumber }]);
  await setLastNumber(tx, newId, Math.max(0, move.number - lastNumber));
  await resetInstances(tx, [instanceId, newId]);
  await showImported(tx, [instanceId, newId]);
  await requeueChanges(tx, oldest);
  await moveRules(tx, objectId, [{ from: pathOf(toUrl), to: pathOf(fromUrl) }]);
  await markUndone(tx, id);
  return "undone";
}
