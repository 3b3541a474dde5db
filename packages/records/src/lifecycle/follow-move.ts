import type { Queryable } from "@web-tester/platform/database/database";
import { requeueChanges } from "../changes/queue-changes.js";
import { ensureInstance } from "../instances/create-instances.js";
import { removeEmptyInstances, renameInstances, setLastNumber } from "../instances/lifecycle-marks.js";
import { resetInstances, showImported } from "../instances/show-snapshots.js";
import { relinkPages } from "../pages/settle-pages.js";
import { moveRules } from "../rules/ignore-rules.js";
import { adoptSnapshots, fetchedTogether, withOpenSnapshots } from "../snapshots/adopt-snapshots.js";
import { markUndone } from "./page-lifecycle.js";

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

/**
 * Moves the history, baseline and rules of pages to the addresses of new pages, whose snapshots become theirs. A site that was given
 * another folder has thousands of them, so all are moved together.
 * @param moves each page and each address once
 * @returns by instance, the number of its newest snapshot before the move. Absent where nothing was moved: the address is no new page, the
 * page is the object's own URL, one of the two is being fetched, or both were fetched by one run before the move was seen
 */
export async function followMoves(tx: Queryable, runId: string, moves: readonly Move[]): Promise<Map<string, number>> {
  const found = await selectFollowed(tx, runId, moves);
  const [first] = found;
  if (first === undefined) return new Map();
  const pairs = found.map(({ id, toId }) => ({ from: toId, to: id }));
  const oldest = await adoptSnapshots(
    tx,
    found.map(({ id, toId, lastNumber }) => ({ from: toId, to: id, shift: lastNumber, above: 0 })),
  );
  await relinkPages(tx, runId, pairs);
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
  await showImported(
    tx,
    found.map(({ id }) => id),
  );
  await requeueChanges(tx, oldest);
  const paths = found.map(({ fromUrl, toUrl }) => ({ from: pathOf(fromUrl), to: pathOf(toUrl) }));
  await moveRules(tx, first.objectId, paths);
  return new Map(found.map(({ id, lastNumber }) => [id, lastNumber]));
}

/** Returns the moves that histories can follow, with both instances locked. */
async function selectFollowed(tx: Queryable, runId: string, moves: readonly Move[]): Promise<Ends[]> {
  if (moves.length === 0) return [];
  const ids = moves.map(({ id }) => id);
  const addresses = moves.map(({ to }) => to);
  const known = await tx.query<Ends>(ends, [ids, addresses, runId]);
  const other = known.filter(({ fromUrl, objectUrl }) => fromUrl !== objectUrl);
  const open = await withOpenSnapshots(
    tx,
    other.flatMap(({ id, toId }) => [id, toId]),
  );
  const together = await fetchedTogether(
    tx,
    other.map(({ id, toId }) => ({ one: id, other: toId })),
  );
  return other.filter(({ id, toId }) => !open.has(id) && !open.has(toId) && !together.has(id));
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
