import type { Queryable } from "@web-tester/platform/database/database";
import { requeueChange } from "../changes/queue-changes.js";
import { ensureInstance } from "../instances/create-instances.js";
import { removeEmptyInstance, renameInstance, setLastNumber } from "../instances/lifecycle-marks.js";
import { resetInstances, showImported } from "../instances/show-snapshots.js";
import { relinkPages } from "../pages/settle-pages.js";
import { moveRules } from "../rules/ignore-rules.js";
import { adoptSnapshots, hasOpenSnapshots, wereFetchedTogether } from "../snapshots/adopt-snapshots.js";
import { markUndone } from "./page-lifecycle.js";

interface Ends {
  objectId: string;
  objectUrl: string;
  fromUrl: string;
  lastNumber: number;
  toId: string;
  toName: string;
  toNumber: number;
  byCrawl: boolean;
  bySitemaps: boolean;
}

/* A new page that this run created at the address to which the other page moved. */
const ends = `
  SELECT o.id AS "objectId", o.url AS "objectUrl", x.url AS "fromUrl", x.last_number AS "lastNumber", y.id AS "toId", y.name AS "toName",
    y.last_number AS "toNumber", y.by_crawl AS "byCrawl", y.by_sitemaps AS "bySitemaps"
  FROM test_instance x JOIN test_object o ON o.id = x.test_object_id JOIN run r ON r.id = $3
  JOIN test_instance y ON y.test_object_id = x.test_object_id AND y.url = $2 AND y.created_at BETWEEN r.created_at AND r.finished_at
  WHERE x.id = $1 AND x.id <> y.id FOR UPDATE OF x, y`;

/** Path and query, which rules use to name pages. */
const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/**
 * Moves a page's history, baseline and rules to the address of a new page, whose snapshots become its own.
 * @returns the number of its newest snapshot before the move; null when nothing was moved: the address is no new page, the page is the
 * object's own URL, one of the two is being fetched, or both were fetched by one run before the move was seen
 */
export async function followMove(
  tx: Queryable,
  runId: string,
  instanceId: string,
  toUrl: string,
): Promise<number | null> {
  const [found] = await tx.query<Ends>(ends, [instanceId, toUrl, runId]);
  if (found === undefined || found.fromUrl === found.objectUrl) return null;
  if (await hasOpenSnapshots(tx, [instanceId, found.toId])) return null;
  if (await wereFetchedTogether(tx, found.toId, instanceId)) return null;
  const first = await adoptSnapshots(tx, found.toId, instanceId, { shift: found.lastNumber, above: 0 });
  await relinkPages(tx, runId, found.toId, instanceId);
  await removeEmptyInstance(tx, found.toId);
  await renameInstance(tx, instanceId, {
    url: toUrl,
    name: found.toName,
    numbers: found.toNumber,
    byCrawl: found.byCrawl,
    bySitemaps: found.bySitemaps,
    movedTo: null,
  });
  await showImported(tx, [instanceId]);
  if (first !== null) await requeueChange(tx, first);
  await moveRules(tx, found.objectId, { from: pathOf(found.fromUrl), to: pathOf(toUrl) });
  return found.lastNumber;
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
  if (await hasOpenSnapshots(tx, [instanceId])) return "busy";
  await renameInstance(tx, instanceId, {
    url: fromUrl,
    name: pathOf(fromUrl),
    numbers: 0,
    byCrawl: false,
    bySitemaps: false,
    movedTo: toUrl,
  });
  const newId = await ensureInstance(tx, objectId, toUrl, move.name);
  const first = await adoptSnapshots(tx, instanceId, newId, { shift: -lastNumber, above: lastNumber });
  await setLastNumber(tx, newId, Math.max(0, move.number - lastNumber));
  await resetInstances(tx, [instanceId, newId]);
  await showImported(tx, [instanceId, newId]);
  if (first !== null) await requeueChange(tx, first);
  await moveRules(tx, objectId, { from: pathOf(toUrl), to: pathOf(fromUrl) });
  await markUndone(tx, id);
  return "undone";
}
