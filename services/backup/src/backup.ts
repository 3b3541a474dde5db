import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import type { Client } from "pg";
import { migrationNames } from "@web-tester/records/schema/migrations";
import { collectingLock } from "@web-tester/records/contents/remove-contents";
import { markAllFound } from "@web-tester/records/contents/stored-contents";
import { openObjectDriver } from "@web-tester/platform/object-store/open-object-store";
import type { ObjectDriver } from "@web-tester/platform/object-store/object-driver";
import {
  makeRowsFolder,
  type Manifest,
  objectsAddress,
  readLastWhole,
  readManifestIfThere,
  removeOldRows,
  someOf,
  writeManifest,
} from "./backup-folder.js";
import { copyObjects, findMissing, type FoundObject, removeOthers, type WantedObject } from "./copy-objects.js";
import { appliedMigrations, type DumpedRows, dumpRows, installationId } from "./copy-rows.js";
import { folderFault } from "./folder-fault.js";
import { type FolderLock, lockFolder } from "./folder-lock.js";
import { keyMark } from "./key-mark.js";
import { listedObjects } from "./listed-objects.js";
import { requireApart, requireOwnBackup } from "./require-own-folder.js";
import { connect, inWords } from "./session.js";

/** The product to back up, or to restore into. */
export interface Place {
  databaseUrl: string;
  storageUrl: string;
  /** Key of the site passwords; the backup keeps only a mark to recognise it by. */
  secretKey?: Buffer | undefined;
}

export interface BackupOptions {
  /** Folder of this backup and the later ones: bytes that are already there are not copied again. */
  folder: string;
  /** Prints a line for the user. */
  say(line: string): void;
  signal: AbortSignal;
}

/**
 * Backs up rows and bytes of a product, whether it is running or stopped. The rows are a consistent snapshot; bytes are copied after them,
 * and nothing that the rows refer to is removed meanwhile. If it is interrupted at any point, the previous backup in the folder remains
 * valid.
 * @throws AppError conflict if the database is not of this version, or the folder is in use, another product's or the store itself;
 * content_missing if contents are missing: everything else is in the backup then, and the last one that missed nothing stays beside it; unavailable
 */
export async function backUp(place: Place, options: BackupOptions): Promise<void> {
  const folder = resolve(options.folder);
  try {
    await requireApart(folder, place.storageUrl);
    await backUpTo(place, { ...options, folder });
  } catch (error) {
    throw folderFault(folder, error);
  }
}

async function backUpTo(place: Place, { folder, say, signal }: BackupOptions): Promise<void> {
  const source = openObjectDriver(place.storageUrl);
  const target = openObjectDriver(objectsAddress(folder));
  const session = await connect(place.databaseUrl, "web-tester backup", signal);
  let lock: FolderLock | undefined;
  let rows: string | undefined;
  try {
    const { client } = session;
    requireThisVersion(await appliedMigrations(client));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    lock = await lockFolder(folder, "backup");
    await requireOwnBackup(folder, client);
    const held = { folder, lock, signal: AbortSignal.any([session.signal, lock.signal]) };
    // held until the session ends: the collector needs this lock exclusively, so it pauses
    await client.query("SELECT pg_advisory_lock_shared($1)", [collectingLock]);
    // those of backups that were killed would take the room of this one
    await removeUnnamedRows(folder);
    const into = (rows = await makeRowsFolder(folder));
    const dump = await dumpRows(client, join(folder, into), held.signal);
    await refuseEmpty(folder, into, dump);
    const installation = await installationId(client);
    say(`Rows: ${dump.tables.reduce((sum, table) => sum + table.rows, 0)} in ${dump.tables.length} tables.`);
    await target.check();
    const wanted = () => listedObjects(join(folder, into), dump.objects.file);
    const objects = await copyObjects({
      source,
      target,
      wanted: wanted(),
      signal: held.signal,
      onProgress: inWords(say, dump.objects.count),
    });
    // this query fails if the session has ended; then the collector would have run meanwhile
    const again = await noteFound(client, objects.found);
    const write = (lost: readonly Buffer[]) =>
      writeManifest(folder, {
        ...dump,
        rows: into,
        installation,
        madeAt: new Date().toISOString(),
        lost: lost.map((hash) => hash.toString("hex")),
        keyMark: place.secretKey === undefined ? null : keyMark(place.secretKey),
      });
    await lock.check();
    let manifest = await write(objects.lost);
    const removed = await removeOld(held, target, manifest, wanted(), objects.lost);
    const missing = await findMissing(target, wanted(), objects.written);
    if (missing.length !== objects.lost.length) manifest = await write(missing);
    say(
      `Bytes: ${objects.copied} contents copied, ${objects.present} were there already, ${removed} that no row names any more removed.`,
    );
    if (again > 0)
      say(`${again} contents that the product had noted as lost read whole: they are noted as stored again.`);
    if (manifest.lost.length > 0) throw await incomplete(folder, manifest);
    say(`Backed up to ${folder}. The key of site passwords (SECRET_KEY) is not in it: keep it in another place.`);
  } catch (error) {
    if (rows !== undefined) await removeIfUnnamed(folder, rows);
    throw error;
  } finally {
    await lock?.release();
    await session.close();
    source.close();
    target.close();
  }
}

/** Removes the rows of a backup that failed, which would take room until the next one succeeds. Not those that a manifest names already. */
async function removeIfUnnamed(folder: string, rows: string): Promise<void> {
  try {
    const named = [await readManifestIfThere(folder), await readLastWhole(folder)];
    if (named.some((manifest) => manifest?.rows === rows)) return;
    await rm(join(folder, rows), { recursive: true, force: true });
  } catch {
    // the error that made the backup fail says more; the next backup removes them
  }
}

async function removeUnnamedRows(folder: string): Promise<void> {
  const newest = await readManifestIfThere(folder);
  if (newest === null) return;
  const whole = await readLastWhole(folder);
  await removeOldRows(folder, whole === null ? [newest] : [newest, whole]);
}

async function removeOld(
  { folder, lock }: { folder: string; lock: FolderLock },
  target: ObjectDriver,
  manifest: Manifest,
  listed: AsyncIterable<WantedObject>,
  lost: readonly Buffer[],
): Promise<number> {
  const whole = await readLastWhole(folder);
  await lock.check();
  await removeOldRows(folder, whole === null ? [manifest] : [manifest, whole]);
  const others = whole === null ? none() : listedObjects(join(folder, whole.rows), whole.objects.file);
  return removeOthers(target, { listed, others, lost });
}

async function* none(): AsyncIterable<WantedObject> {}

/** Marks contents as stored that the product had noted as lost and that its store returns intact; the collector is paused, so their rows stay. */
async function noteFound(client: Client, found: readonly FoundObject[]): Promise<number> {
  const whole = found.flatMap(({ hash, sizeInSource }) =>
    sizeInSource === null ? [] : [{ hash, size: sizeInSource }],
  );
  const { rowCount } = await client.query(markAllFound, [whole.map(({ hash }) => hash), whole.map(({ size }) => size)]);
  return rowCount ?? 0;
}

/**
 * Refuses to replace a backup with test objects by one without any: a database that was recreated by mistake would overwrite the only copy
 * of the other one.
 */
async function refuseEmpty(folder: string, rows: string, dump: DumpedRows): Promise<void> {
  const objectsOf = (tables: Manifest["tables"]) => tables.find(({ name }) => name === "test_object")?.rows ?? 0;
  const before = await readManifestIfThere(folder);
  if (before === null || objectsOf(before.tables) === 0 || objectsOf(dump.tables) > 0) return;
  await rm(join(folder, rows), { recursive: true });
  throw new AppError(
    "conflict",
    `The product has no test object, the backup of ${before.madeAt} in ${folder} has ${objectsOf(before.tables)}: it stays as it is. Check that DATABASE_URL and DATA_DIR are right, or name another folder.`,
  );
}

async function incomplete(folder: string, { lost }: Manifest): Promise<AppError> {
  const whole = await readLastWhole(folder);
  return new AppError(
    "content_missing",
    `The backup in ${folder} misses ${lost.length} contents (${someOf(lost)}): the object store does not have them whole, nor does an earlier backup in this folder. All else is in it.${
      whole === null ? "" : ` The last one that missed nothing, of ${whole.madeAt}, is kept beside it.`
    } Check that STORAGE_URL is right and the store is there; pages that are fetched again are stored anew.`,
  );
}

function requireThisVersion(applied: readonly string[]): void {
  if (applied.join() === migrationNames.join()) return;
  const newer = applied.some((name) => !migrationNames.includes(name));
  throw new AppError(
    "conflict",
    newer
      ? "The database belongs to a newer version: back it up with that version."
      : "The database lacks migrations of this version: run them first (node packages/records/dist/schema/migrate.js up), or back up with the version that runs.",
  );
}
