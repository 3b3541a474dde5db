import type { Response } from "@web-tester/contracts/api";
import { settingSchemas } from "@web-tester/contracts/object-settings";
import { AppError } from "@web-tester/contracts/errors";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { updateObject } from "@web-tester/records/objects/update-object";
import { lockObjectOfRun } from "@web-tester/records/objects/lock-object";
import { excludeFromNowOn } from "@web-tester/records/runs/run-rules";
import { createExcluder } from "@web-tester/urls/exclude";
import { type ExcludeMiss, excludeMissUrlsMax, explainMisses } from "@web-tester/urls/exclude-misses";
import { notFound } from "../http/not-found.js";
import { selectRun } from "../snapshots/run-row.js";

/**
 * Adds exclude patterns to an object and to its running crawl: waiting addresses that match are not visited any more, and links to
 * such are not followed. Patterns that exist already stay as they are.
 * @throws AppError not_found, conflict where no crawl is running, invalid_input for more patterns than an object may have
 */
export function excludeInRun(db: Database, runId: string, patterns: readonly string[]): Promise<void> {
  return db.transaction(async (tx) => {
    const object = await lockObjectOfRun(tx, runId);
    if (object === null) throw notFound("run", runId);
    const merge = (list: readonly string[]) => [...new Set([...list, ...patterns])];
    const parsed = settingSchemas.exclude_list.safeParse(merge(object.exclude_list));
    if (!parsed.success) throw tooMany(parsed.error.issues[0]?.message);
    if (!(await excludeFromNowOn(tx, runId, patterns)))
      throw new AppError("conflict", "This crawl is no longer running. Save the patterns under Options instead.");
    await updateObject(tx, object.id, { exclude_list: parsed.data });
  });
}

const listed = 10;
/** The most addresses of a crawl that the gateway holds in memory at once. */
const batch = 2_000;
/* SQL: in the order of an index that every crawl has, so that no batch has to sort the crawl again. */
const select = `
  SELECT url, state = 'queued' AS waits FROM crawl_page
  WHERE run_id = $1 AND url > $2 AND kind = 'page' AND depth > 0 ORDER BY url LIMIT ${batch}`;
/*
 * SQL: the addresses that were found first, which come from all parts of a site. They serve to suggest how a pattern without a match
 * could be written.
 */
const selectFirst = `SELECT url FROM crawl_page WHERE run_id = $1 AND kind = 'page' AND depth > 0 ORDER BY id LIMIT ${excludeMissUrlsMax}`;

/**
 * Finds which addresses of a crawl a list of patterns would exclude, and why the other patterns exclude none. Reads the addresses in
 * batches and keeps little more than counts, because a crawl may have 100,000.
 */
export async function previewInRun(
  db: Queryable,
  runId: string,
  patterns: readonly string[],
): Promise<Response<"previewCrawlExcludes">> {
  if ((await selectRun(db, runId)) === null) throw notFound("run", runId);
  const excluderOf = createExcluder(patterns);
  const missed = new Set(patterns);
  const preview = { total: 0, excluded: 0, waiting: 0, items: [] as string[] };
  for await (const some of batchesOf(db, runId)) {
    preview.total += some.length;
    for (const { url, waits } of some) {
      const pattern = excluderOf(new URL(url));
      if (pattern === null) continue;
      missed.delete(pattern);
      preview.excluded += 1;
      if (waits) preview.waiting += 1;
      if (preview.items.length < listed) preview.items.push(url);
    }
  }
  return { ...preview, misses: await explain(db, runId, [...missed]) };
}

async function* batchesOf(db: Queryable, runId: string): AsyncGenerator<{ url: string; waits: boolean }[]> {
  for (let after = ""; ;) {
    const some = await db.query<{ url: string; waits: boolean }>(select, [runId, after]);
    yield some;
    const last = some.at(-1);
    if (last === undefined || some.length < batch) return;
    after = last.url;
  }
}

async function explain(db: Queryable, runId: string, missed: readonly string[]): Promise<ExcludeMiss[]> {
  if (missed.length === 0) return [];
  const rows = await db.query<{ url: string }>(selectFirst, [runId]);
  return explainMisses(
    missed,
    rows.map(({ url }) => new URL(url)),
  );
}

const tooMany = (message = "There are too many exclude patterns") =>
  new AppError("invalid_input", `${message}, with those that the object has already.`);
