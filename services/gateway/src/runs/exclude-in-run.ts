import type { Response } from "@web-tester/contracts/api";
import { settingSchemas } from "@web-tester/contracts/object-settings";
import { AppError } from "@web-tester/contracts/errors";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { updateObject } from "@web-tester/records/objects/update-object";
import { lockObjectOfRun } from "@web-tester/records/objects/lock-object";
import { excludeFromNowOn } from "@web-tester/records/runs/run-rules";
import { createExcluder } from "@web-tester/urls/exclude";
import { explainMisses } from "@web-tester/urls/exclude-misses";
import { notFound } from "../http/not-found.js";
import { selectRun } from "../snapshots/run-row.js";

/**
 * Adds exclude patterns to an object and to its crawl that is running: addresses that wait are not visited any more, and links are not
 * followed. Patterns that are there already stay as they are.
 * @throws AppError not_found, conflict where no crawl is running, invalid_input for more patterns than an object has
 */
export function excludeInRun(db: Database, runId: string, patterns: readonly string[]): Promise<void> {
  return db.transaction(async (tx) => {
    const object = await lockObjectOfRun(tx, runId);
    if (object === null) throw notFound("run", runId);
    const merge = (list: readonly string[]) => [...new Set([...list, ...patterns])];
    const parsed = settingSchemas.exclude_list.safeParse(merge(object.exclude_list));
    if (!parsed.success) throw tooMany(parsed.error.issues[0]?.message);
    if (!(await excludeFromNowOn(tx, runId, patterns)))
      throw new AppError("conflict", "This crawl is not running any more. Save the patterns under Options instead.");
    await updateObject(tx, object.id, { exclude_list: parsed.data });
  });
}

const listed = 10;
/** Addresses on which it is tried how a pattern that meets none could be written. */
const looked = 5_000;
const select = `SELECT id, url, state = 'queued' AS waits FROM crawl_page WHERE run_id = $1 AND kind = 'page' AND depth > 0 AND id > $2 ORDER BY id LIMIT 5000`;

/** Which addresses of a crawl a list of patterns would leave out, and why others leave out none. */
export async function previewInRun(
  db: Queryable,
  runId: string,
  patterns: readonly string[],
): Promise<Response<"previewCrawlExcludes">> {
  if ((await selectRun(db, runId)) === null) throw notFound("run", runId);
  const excluderOf = createExcluder(patterns);
  const missed = new Set(patterns);
  const urls: URL[] = [];
  const preview = { total: 0, excluded: 0, waiting: 0, items: [] as string[] };
  for (const { url, waits } of await readAll(db, runId)) {
    const address = new URL(url);
    if (urls.length < looked) urls.push(address);
    preview.total += 1;
    const pattern = excluderOf(address);
    if (pattern === null) continue;
    missed.delete(pattern);
    preview.excluded += 1;
    if (waits) preview.waiting += 1;
    if (preview.items.length < listed) preview.items.push(url);
  }
  return { ...preview, misses: explainMisses([...missed], urls) };
}

async function readAll(db: Queryable, runId: string): Promise<{ url: string; waits: boolean }[]> {
  const rows: { id: string; url: string; waits: boolean }[] = [];
  for (let after = "00000000-0000-0000-0000-000000000000"; ;) {
    const some = await db.query<{ id: string; url: string; waits: boolean }>(select, [runId, after]);
    rows.push(...some);
    const last = some.at(-1);
    if (last === undefined) return rows;
    after = last.id;
  }
}

const tooMany = (message = "There are too many exclude patterns") =>
  new AppError("invalid_input", `${message}, with those that the object has already.`);
