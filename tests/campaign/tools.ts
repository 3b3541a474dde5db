import { rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { pathToFileURL } from "node:url";
import { openDatabase } from "@web-tester/platform/database/database";
import { openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { collectStrays, collectUnused } from "@web-tester/records/contents/collect-contents";
import { programOf } from "../../infra/local/bundled.mjs";
import { type LaneStack, runProgram } from "./lane.ts";

const backupProgram = programOf("services/backup/dist/main.js");
const migrateProgram = programOf("packages/records/dist/schema/migrate.js");
const withinMs = 240_000;
/** Makes a backup into the lane's one backup folder. @returns undefined if it was complete, else the program's output */
export async function backUp(lane: LaneStack): Promise<string | undefined> {
  const { code, said } = await runProgram(
    backupProgram,
    ["backup", join(lane.folder, "backup")],
    lane.envOf("tools"),
    withinMs,
  );
  return code === 0 ? undefined : said.trim();
}

/**
 * Restores the lane's backup into an empty database and store, and reads all contents there.
 * @param wanted runs and objects that were acknowledged before the backup began
 * @returns what is wrong, in words; empty if all is there
 */
export async function restoreAndRead(lane: LaneStack, wanted: readonly string[]): Promise<string[]> {
  const name = `restored_${Date.now()}`;
  const folder = join(lane.folder, name);
  const admin = new pg.Client({ connectionString: lane.stack.databaseUrl });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(lane.stack.databaseUrl);
    url.pathname = `/${name}`;
    const env = { ...lane.envOf("tools"), DATABASE_URL: url.href, STORAGE_URL: pathToFileURL(folder).href };
    for (const [program, ...args] of [
      [migrateProgram, "up"],
      [backupProgram, "restore", join(lane.folder, "backup")],
    ] as const) {
      const { code, said } = await runProgram(program, args, env, withinMs);
      if (code !== 0) return [`The restore ended with ${code}: ${said.trim().split("\n").at(-1)}`];
    }
    return await readRestored(url.href, env.STORAGE_URL, wanted);
  } finally {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => undefined);
    await admin.end().catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}

async function readRestored(databaseUrl: string, storageUrl: string, wanted: readonly string[]): Promise<string[]> {
  const db = openDatabase(databaseUrl, 2, () => undefined);
  const store = openObjectStore(storageUrl);
  try {
    const wrong: string[] = [];
    const rows = await db.query<{ hash: Buffer }>(
      "SELECT hash FROM content WHERE hash IN (SELECT content_hash FROM test_snapshot UNION SELECT content_hash FROM snapshot_asset UNION SELECT content_hash FROM search_section)",
    );
    for (const { hash } of rows)
      await store.read(hash).catch((error: unknown) => {
        if (wrong.length < 3) wrong.push(`Restored: ${error instanceof Error ? error.message : String(error)}`);
      });
    const there = await db.query<{ id: string }>("SELECT id FROM test_object UNION ALL SELECT id FROM run");
    const ids = new Set(there.map(({ id }) => id));
    return [
      ...wrong,
      ...wanted
        .filter((id) => !ids.has(id))
        .map((id) => `Restored: ${id} was acknowledged before the backup and is not in it`),
    ];
  } finally {
    store.close();
    await db.close();
  }
}

/**
 * Makes contents look as if they were last touched before the collector's grace of an hour, so that it removes those that nothing refers to.
 * Only to be called while no work goes on: whoever announces a content relies on at least half of that hour being left. The site files that
 * a fetcher has cached are spared for the same reason.
 */
export async function ageUnused({ db }: LaneStack): Promise<void> {
  await db.query(
    `UPDATE content c SET touched_at = now() - interval '2 hours'
     WHERE touched_at > now() - interval '1 hour' AND NOT EXISTS (SELECT 1 FROM site_asset a WHERE a.content_hash = c.hash)`,
  );
}

/** Runs two collectors at once, through the proxies of the tools. @returns the message of the first error, undefined if there was none */
export async function collectTwice(lane: LaneStack, signal: AbortSignal): Promise<string | undefined> {
  const { DATABASE_URL = "", STORAGE_URL = "" } = lane.envOf("tools");
  const db = openDatabase(DATABASE_URL, 2, () => undefined);
  const credentials = lane.storeKind === "bucket" ? { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" } : undefined;
  const store = openObjectStore(STORAGE_URL, credentials);
  try {
    const collection = { db, store, graceMs: 3_600_000, signal };
    await Promise.all([collectUnused(collection), collectUnused(collection), collectStrays(collection)]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    store.close();
    await db.close();
  }
}
