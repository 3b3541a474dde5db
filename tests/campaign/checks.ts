import { filesOf, hasFiles } from "@web-tester/records/changes/files-of-change";
import { lostAcknowledged, rowFaults } from "../support/invariants.ts";
import type { LaneStack } from "./lane.ts";
import type { Random } from "./random.ts";
import type { ChangingSite } from "./site.ts";
import type { Workload } from "./workload.ts";

/** Something wrong found after a round. `lost`: gone or altered; `doubled`: there twice or counted wrongly; `stuck`: not ended in time, or broken off. */
export interface Finding {
  kind: "lost" | "doubled" | "stuck";
  what: string;
}

/** The state that each page's snapshot reaches without faults (`done` or `failed`), by path; learned from an undisturbed crawl and fetch. */
export type Reference = ReadonlyMap<string, string>;

const reread = 60;

/** Checks the invariants I1 to I7, the hashes of the stored bytes, and that each page ended in the same state as without faults. */
export async function findWrongs(
  lane: LaneStack,
  work: Workload,
  site: ChangingSite,
  reference: Reference,
  bytes: { verified: Set<string>; random: Random },
): Promise<Finding[]> {
  const trimmed = work.objects.filter(({ removed }) => removed.size > 0).map(({ id }) => id);
  const rows = (await rowFaults(lane.db, trimmed)).map((what): Finding => ({ kind: kindOf(what), what }));
  const lost = [
    ...(await lostAcknowledged(lane.db, work.acknowledged)),
    ...(await lostImports(lane, work)),
    ...(await wrongPages(lane, work, site, reference)),
    ...(await wrongBytes(lane, bytes)),
    ...(await wrongSearch(lane, work)),
  ];
  // of the site's files only the pictures ever change, and headers never do: all else that a comparison reports is wrong
  const changes = await lane.db.query<{ id: string; files: unknown; facts: unknown }>(
    `SELECT s.id, ${filesOf("c")} AS files, c.facts FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id JOIN test_snapshot p ON p.id = c.previous_id
     WHERE c.state = 'done' AND CASE WHEN s.content_hash <> p.content_hash THEN c.kind = 'unchanged'
       ELSE c.kind = 'changed' AND (NOT ${hasFiles("c")} OR c.facts IS NOT NULL OR ${filesOf("c")} @? '$[*] ? (@.change != "changed" || !(@.url like_regex "/i[0-9]+[.]png$"))') END`,
  );
  if (changes.length > 0)
    lost.push(`${changes.length} changes say the opposite of their bytes: ${JSON.stringify(changes[0])}`);
  return [...rows, ...lost.map((what): Finding => ({ kind: "lost", what }))];
}

function kindOf(fault: string): Finding["kind"] {
  if (/^I1|^I5/.test(fault)) return "stuck";
  return /^I2|^I4|counts|totals/.test(fault) ? "doubled" : "lost";
}

/** Checks that accepted imports have all their pages, each with one snapshot. */
async function lostImports({ db }: LaneStack, work: Workload): Promise<string[]> {
  const wrong: string[] = [];
  for (const { url, pages } of work.imported) {
    const [row] = await db.query<{ pages: number; snapshots: number }>(
      `SELECT count(DISTINCT i.id)::int AS pages, count(s.content_hash)::int AS snapshots FROM test_object o
       JOIN test_instance i ON i.test_object_id = o.id LEFT JOIN test_snapshot s ON s.test_instance_id = i.id WHERE o.url = $1`,
      [url],
    );
    // an import is sent again if its first response was lost: the second one then finds everything there and adds nothing
    if (row?.pages !== pages || row.snapshots !== pages)
      wrong.push(`Import of ${url} has ${row?.pages} pages and ${row?.snapshots} snapshots instead of ${pages}`);
  }
  return wrong;
}

/** Checks that each crawl of this round found exactly the site's pages, and that each fetch ended as without faults, with the bytes sent. */
async function wrongPages(
  { db }: LaneStack,
  work: Workload,
  site: ChangingSite,
  reference: Reference,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { id, objectId, what, isCancelled = false } of work.accepted) {
    if (what === "crawl" && !isCancelled) {
      const found = await db.query<{ url: string }>("SELECT url FROM test_instance WHERE test_object_id = $1", [
        objectId,
      ]);
      const paths = new Set(found.map(({ url }) => pathOf(url)));
      const missing = [...reference.keys()].filter((path) => !paths.has(path));
      const more = [...paths].filter((path) => !reference.has(path));
      if (missing.length > 0) wrong.push(`Crawl ${id} did not find ${missing.length} pages: ${missing.slice(0, 3)}`);
      if (more.length > 0) wrong.push(`Crawl ${id} found ${more.length} pages too many: ${more.slice(0, 3)}`);
    }
    if (what !== "fetch") continue;
    const removed = work.objects.find((object) => object.id === objectId)?.removed;
    // an object that was deleted meanwhile need not have anything left
    if (removed !== undefined) wrong.push(...(await wrongSnapshots(db, { id, isCancelled, removed }, site, reference)));
  }
  return wrong;
}

async function wrongSnapshots(
  db: LaneStack["db"],
  { id: runId, isCancelled, removed }: { id: string; isCancelled: boolean; removed: ReadonlySet<string> },
  site: ChangingSite,
  reference: Reference,
): Promise<string[]> {
  const rows = await db.query<{
    url: string;
    state: string;
    hash: Buffer | null;
    error: string | null;
    missing: string[] | null;
  }>(
    `SELECT i.url, s.state, s.content_hash AS hash, s.error,
       (SELECT array_agg(a.url || ' (' || a.error || ')') FROM snapshot_asset a WHERE a.list_id = s.files_id AND a.content_hash IS NULL) AS missing
     FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE s.run_id = $1`,
    [runId],
  );
  const wrong = rows.flatMap(({ url, state, hash, error, missing }) => {
    const path = pathOf(url);
    const wanted = reference.get(path);
    if (isCancelled && state === "cancelled") return [];
    if (wanted !== state) return [`${path} is ${state} instead of ${wanted} (${error})`];
    if (state === "done" && hash?.toString("hex") !== site.hashOf(path))
      return [`${path} has other bytes than the site`];
    return missing === null ? [] : [`assets of ${path} are missing: ${missing.join(", ")}`];
  });
  const paths = new Set(rows.map(({ url }) => pathOf(url)));
  const without = [...reference.keys()].filter((path) => !paths.has(path) && !removed.has(path));
  if (without.length > 0) wrong.push(`${without.length} pages have no snapshot: ${without.slice(0, 3)}`);
  return wrong.length === 0
    ? []
    : [`Fetch ${runId}: ${wrong.length} pages are not as they should be: ${wrong.slice(0, 3).join("; ")}`];
}

/** Checks that each content in use, and the base of its delta, is stored; re-hashes those not yet verified and up to 60 of the others. */
async function wrongBytes(
  { db, store }: LaneStack,
  { verified, random }: { verified: Set<string>; random: Random },
): Promise<string[]> {
  const rows = await db.query<{ hash: Buffer; stored: boolean }>(
    `WITH used AS (SELECT content_hash AS hash FROM test_snapshot UNION SELECT content_hash FROM snapshot_asset UNION SELECT content_hash FROM search_section)
     SELECT c.hash, c.stored FROM content c WHERE c.hash IN (SELECT hash FROM used)
     UNION SELECT b.hash, b.stored FROM content c JOIN content b ON b.hash = c.base_hash WHERE c.hash IN (SELECT hash FROM used)`,
  );
  const there = new Set<string>();
  for await (const { hash } of store.list()) there.add(hash.toString("hex"));
  const wrong: string[] = [];
  const old = rows.filter(({ hash }) => verified.has(hash.toString("hex")));
  const again = new Set(random.shuffled(old).slice(0, reread));
  for (const row of rows) {
    const hex = row.hash.toString("hex");
    if (!there.has(hex)) wrong.push(`I3 content ${hex} is referred to and not in the store`);
    else if (!row.stored) wrong.push(`I3 content ${hex} is referred to but not marked as stored`);
    else if (!verified.has(hex) || again.has(row)) {
      try {
        await store.read(row.hash); // throws if the bytes do not hash to the key
        verified.add(hex);
      } catch (error) {
        wrong.push(`I3 ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return wrong.length > 3 ? [...wrong.slice(0, 3), `I3 … and ${wrong.length - 3} contents more`] : wrong;
}

/** Checks that a search for a phrase that all pages contain finds every page that ever had a finished snapshot. */
async function wrongSearch({ db, rests }: LaneStack, { objects }: Workload): Promise<string[]> {
  const object = objects.findLast(({ crawled }) => crawled);
  if (object === undefined) return [];
  const [row] = await db.query<{ pages: number }>(
    `SELECT count(DISTINCT i.id)::int AS pages FROM test_instance i JOIN test_snapshot s ON s.test_instance_id = i.id AND s.state = 'done'
     WHERE i.test_object_id = $1`,
    [object.id],
  );
  // counts the items, not the totals: those may come from the cache of a search for the same phrase up to 30 s ago
  const search = async () => {
    const query = { q: "<title>/", testobject_id: object.id, idx: "0", limit: "10000", time_ms: "60000" };
    const items = await rests[0]?.call("search", { query });
    return new Set(items?.map(({ testInstanceId }) => testInstanceId)).size;
  };
  const found = await search();
  if (found === row?.pages) return [];
  const [index] = await db.query(
    `SELECT count(*)::int AS entries, count(*) FILTER (WHERE pack_id IS NULL)::int AS waiting, count(problem)::int AS problems,
       (SELECT sum(documents)::int FROM search_pack WHERE test_object_id = $1) AS packed FROM search_entry WHERE test_object_id = $1`,
    [object.id],
  );
  const later = await search();
  return [
    `A search finds ${found} of ${row?.pages} pages that hold the phrase (${later} a moment later); the index: ${JSON.stringify(index)}`,
  ];
}

/** Returns the state of the newest snapshot of each page of an object, by path. */
export async function learnReference({ db }: LaneStack, objectId: string): Promise<Reference> {
  const rows = await db.query<{ url: string; state: string }>(
    `SELECT DISTINCT ON (i.id) i.url, s.state FROM test_instance i JOIN test_snapshot s ON s.test_instance_id = i.id
     WHERE i.test_object_id = $1 ORDER BY i.id, s.id DESC`,
    [objectId],
  );
  return new Map(rows.map(({ url, state }) => [pathOf(url), state]));
}

const pathOf = (url: string) => new URL(url).pathname;
