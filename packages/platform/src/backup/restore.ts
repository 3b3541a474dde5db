import { join, resolve } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import { migrate, migrationNames } from "../db/data-source.js";
import { ensureBucket } from "../storage/bucket-driver.js";
import { openObjectDriver } from "../storage/open-object-store.js";
import { parseStorageUrl } from "../storage/storage-url.js";
import { collectingLock } from "../db/moves/content-remove.js";
import type { BackupOptions, Place } from "./backup.js";
import { damagedBackup, type Manifest, nameOf, objectsAddress, readManifest, verifyRowFiles } from "./backup-folder.js";
import { copyObjects } from "./copy-objects.js";
import { appliedMigrations, loadRows, requireEmpty, restoredName } from "./copy-rows.js";
import { keyMark } from "./key-mark.js";
import { listedObjects } from "./listed-objects.js";
import { connect, inWords, type Session } from "./session.js";

/** Another one restores into the same database. */
const restoringLock = 7_234;

/**
 * Fills an empty product with a backup: bytes first, then all rows at once, then the migrations that the backup lacks. Cut
 * off at any point, it can be started again. No service may run meanwhile.
 * @throws AppError not_found, content_damaged (nothing was restored then), conflict where the product is not empty, or the backup
 *   or the database is of a newer version; unavailable
 */
export async function restore(place: Place, { folder: given, say, signal }: BackupOptions): Promise<void> {
  const folder = resolve(given);
  const manifest = await readManifest(folder);
  requireKnown(folder, manifest.migrations);
  await verifyRowFiles(folder, manifest);
  const session = await connect(place.databaseUrl, "web-tester restore", signal);
  try {
    await takeAlone(session);
    const name = nameOf(manifest);
    if ((await restoredName(session.client)) === name) {
      say("The rows are there already.");
    } else {
      await requireEmptyOfKnown(session);
      await restoreObjects(place, { folder, manifest, say, signal: session.signal });
      await migrate(place.databaseUrl, manifest.migrations.length);
      await loadRows(session.client, { folder, manifest, name });
      say(`Rows: ${manifest.tables.reduce((sum, table) => sum + table.rows, 0)} in ${manifest.tables.length} tables.`);
    }
    const applied = await migrate(place.databaseUrl);
    if (applied.length > 0) say(`Brought to this version: ${applied.join(", ")}.`);
    await session.client.query("ANALYZE");
    sayLosses(manifest, place, say);
    say(`Restored the backup of ${manifest.madeAt}. Work that was under way then goes on when the services start.`);
  } finally {
    await session.close();
  }
}

async function restoreObjects(
  place: Place,
  {
    folder,
    manifest,
    say,
    signal,
  }: { folder: string; manifest: Manifest; say: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  const location = parseStorageUrl(place.storageUrl);
  if (location.kind === "bucket") await ensureBucket(location);
  const source = openObjectDriver(objectsAddress(folder));
  const target = openObjectDriver(place.storageUrl);
  try {
    await target.check();
    const { objects, rows } = manifest;
    const { copied, present, lost } = await copyObjects({
      source,
      target,
      wanted: listedObjects(join(folder, rows), objects.file),
      signal,
      onProgress: inWords(say, objects.count),
    });
    const known = new Set(manifest.lost);
    const damaged = lost.map((hash) => hash.toString("hex")).filter((hash) => !known.has(hash));
    if (damaged.length > 0)
      throw damagedBackup(
        folder,
        `${damaged.length} contents are missing or not what was written, ${damaged[0]} first`,
      );
    say(`Bytes: ${copied} contents copied, ${present} were there already.`);
  } finally {
    source.close();
    target.close();
  }
}

async function takeAlone({ client }: Session): Promise<void> {
  const { rows } = await client.query<{ alone: boolean }>("SELECT pg_try_advisory_lock($1) AS alone", [restoringLock]);
  if (rows[0]?.alone !== true)
    throw new AppError("conflict", "Another restore into this database is under way: wait for its end.");
  // bytes that no row names yet must stay
  await client.query("SELECT pg_advisory_lock_shared($1)", [collectingLock]);
}

function requireKnown(folder: string, migrations: readonly string[]): void {
  const odd = migrations.find((name, index) => migrationNames[index] !== name);
  if (odd !== undefined)
    throw new AppError(
      "conflict",
      `The backup in ${folder} was made by a newer version (its schema has ${odd}): restore it with that version, or a newer one.`,
    );
}

async function requireEmptyOfKnown({ client }: Session): Promise<void> {
  const odd = (await appliedMigrations(client)).find((name, index) => migrationNames[index] !== name);
  if (odd !== undefined)
    throw new AppError(
      "conflict",
      `The database was used by a newer version (its schema has ${odd}): name an empty database, or restore with that version.`,
    );
  await requireEmpty(client);
}

function sayLosses({ lost, keyMark: mark }: Manifest, { secretKey }: Place, say: (line: string) => void): void {
  if (lost.length > 0)
    say(
      `WARNING: the product had lost ${lost.length} contents before the backup, ${lost[0]} first; they are not here either.`,
    );
  if (mark !== null && secretKey !== undefined && mark !== keyMark(secretKey))
    say(
      "WARNING: site passwords were sealed with another key: set SECRET_KEY to the one of the product that was backed up, or enter them again.",
    );
}
