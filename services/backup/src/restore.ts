import { join, resolve } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import { migrateWhereNeeded } from "@web-tester/records/schema/migrate-where-needed";
import { migrationNames } from "@web-tester/records/schema/migrations";
import { ensureBucket } from "@web-tester/platform/object-store/bucket-driver";
import { openObjectDriver } from "@web-tester/platform/object-store/open-object-store";
import { parseStorageUrl } from "@web-tester/platform/object-store/storage-url";
import { collectingLock } from "@web-tester/records/contents/remove-contents";
import type { BackupOptions, Place } from "./backup.js";
import {
  damagedBackup,
  type Manifest,
  nameOf,
  objectsAddress,
  readLastWhole,
  readManifest,
  someOf,
  verifyRowFiles,
} from "./backup-folder.js";
import { type Copied, copyObjects } from "./copy-objects.js";
import { appliedMigrations, installationId, loadRows, requireEmpty, restoredName } from "./copy-rows.js";
import { folderFault } from "./folder-fault.js";
import { type FolderLock, lockFolder } from "./folder-lock.js";
import { keyMark } from "./key-mark.js";
import { listedObjects } from "./listed-objects.js";
import { connect, inWords, type Session } from "./session.js";
import { handOver, requireFree } from "./take-store.js";

/** Advisory lock that only one restore into a database can hold. */
const restoringLock = 7_234;

export interface RestoreOptions extends BackupOptions {
  /** If something is missing, restores everything else: rows mark the missing contents as lost, and these are stored again when they are fetched again. */
  incomplete?: boolean;
  /** Restores the last backup that missed nothing, if the newest one misses something. */
  lastWhole?: boolean;
}

/**
 * Fills an empty product with a backup: bytes first, then all rows at once, then the migrations that the backup lacks. If interrupted at
 * any point, it can be started again. No service may run meanwhile.
 * @throws AppError not_found, content_missing or content_damaged (nothing was restored then), conflict if the product is not empty, the
 * folder is in use, or the backup or the database is of a newer version; unavailable
 */
export async function restore(place: Place, options: RestoreOptions): Promise<void> {
  const folder = resolve(options.folder);
  try {
    await restoreFrom(place, { ...options, folder });
  } catch (error) {
    throw folderFault(folder, error);
  }
}

async function restoreFrom(place: Place, options: RestoreOptions): Promise<void> {
  const { folder, say } = options;
  await readChosen(folder, options);
  const session = await connect(place.databaseUrl, "web-tester restore", options.signal);
  let lock: FolderLock | undefined;
  try {
    await takeAlone(session);
    lock = await lockFolder(folder, "restore");
    const signal = AbortSignal.any([session.signal, lock.signal]);
    const manifest = await readChosen(folder, options);
    requireKnown(folder, manifest.migrations);
    await verifyRowFiles(folder, manifest);
    requireAllowed(folder, manifest, await readLastWhole(folder), options);
    const name = nameOf(manifest);
    if ((await restoredName(session.client)) === name) {
      say("The rows are there already.");
    } else {
      await requireEmptyOfKnown(session);
      const known = [manifest.installation, await installationId(session.client)];
      const objects = await restoreObjects(place, { ...options, folder, manifest, signal, known });
      await migrateWhereNeeded(place.databaseUrl, manifest.migrations.length);
      await lock.check();
      await loadRows(session.client, { folder, manifest, name, objects });
      say(`Rows: ${manifest.tables.reduce((sum, table) => sum + table.rows, 0)} in ${manifest.tables.length} tables.`);
    }
    const applied = await migrateWhereNeeded(place.databaseUrl);
    if (applied.length > 0) say(`Brought to this version: ${applied.join(", ")}.`);
    await session.client.query("ANALYZE");
    sayKey(manifest, place, say);
    say(`Restored the backup of ${manifest.madeAt}. Work that was under way then goes on when the services start.`);
  } finally {
    await lock?.release();
    await session.close();
  }
}

async function readChosen(folder: string, { lastWhole = false }: RestoreOptions): Promise<Manifest> {
  const newest = await readManifest(folder);
  if (!lastWhole) return newest;
  const whole = newest.lost.length === 0 ? newest : await readLastWhole(folder);
  if (whole !== null) return whole;
  throw new AppError("not_found", `There is no backup in ${folder} that misses nothing: leave out --last-whole.`);
}

/** Refuses a backup that is known to miss contents, unless the user accepts that with `--incomplete`. */
function requireAllowed(
  folder: string,
  { madeAt, lost }: Manifest,
  whole: Manifest | null,
  { incomplete = false }: RestoreOptions,
): void {
  if (lost.length === 0 || incomplete) return;
  throw new AppError(
    "content_missing",
    `The backup of ${madeAt} in ${folder} misses ${lost.length} contents (${someOf(lost)}), which nobody had whole when it was made. Nothing was restored. ${incompleteHint}${
      whole === null ? "" : `, or restore the last one that missed nothing, of ${whole.madeAt}: add --last-whole`
    }.`,
  );
}

const incompleteHint = "To restore all that is whole, with the rest noted as lost, add --incomplete";

interface RestoreObjects extends RestoreOptions {
  manifest: Manifest;
  /** The installations whose store may be filled. */
  known: readonly (string | null)[];
}

async function restoreObjects(
  place: Place,
  { folder, manifest, say, signal, known, incomplete = false }: RestoreObjects,
): Promise<Copied> {
  const location = parseStorageUrl(place.storageUrl);
  if (location.kind === "bucket") await ensureBucket(location);
  const source = openObjectDriver(objectsAddress(folder));
  const target = openObjectDriver(place.storageUrl);
  try {
    await target.check();
    await requireFree(target, known);
    const { objects, rows } = manifest;
    const copied = await copyObjects({
      source,
      target,
      wanted: listedObjects(join(folder, rows), objects.file),
      signal,
      onProgress: inWords(say, objects.count),
    });
    const missed = new Set(manifest.lost);
    const lost = copied.lost.map((hash) => hash.toString("hex"));
    const damaged = lost.filter((hash) => !missed.has(hash));
    if (damaged.length > 0 && !incomplete)
      throw damagedBackup(
        folder,
        `${damaged.length} contents are missing or not what was written (${someOf(damaged)})`,
        undefined,
        ` ${incompleteHint}.`,
      );
    await handOver(target);
    say(`Bytes: ${copied.copied} contents copied, ${copied.present} were there already.`);
    if (lost.length > 0)
      say(
        `WARNING: ${lost.length} contents are missing (${someOf(lost)}): they are noted as lost, and stored anew when their pages are fetched again.`,
      );
    return copied;
  } finally {
    source.close();
    target.close();
  }
}

async function takeAlone({ client }: Session): Promise<void> {
  const { rows } = await client.query<{ alone: boolean }>("SELECT pg_try_advisory_lock($1) AS alone", [restoringLock]);
  if (rows[0]?.alone !== true)
    throw new AppError("conflict", "Another restore into this database is under way: wait for its end.");
  // the collector must not remove bytes that no row names yet
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

function sayKey({ keyMark: mark }: Manifest, { secretKey }: Place, say: (line: string) => void): void {
  if (mark !== null && secretKey !== undefined && mark !== keyMark(secretKey))
    say(
      "WARNING: site passwords were encrypted with another key, and so were logins, request headers, and addresses and secrets of channels, to which no message is sent like this: set SECRET_KEY to the one of the product that was backed up, or enter them again.",
    );
}
