import { join, resolve } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import { migrationNames } from "../db/data-source.js";
import { collectingLock } from "../db/moves/content-remove.js";
import { openObjectDriver } from "../storage/open-object-store.js";
import { finishBackup, makeRowsFolder, objectsAddress } from "./backup-folder.js";
import { copyObjects, removeOthers } from "./copy-objects.js";
import { appliedMigrations, dumpRows } from "./copy-rows.js";
import { keyMark } from "./key-mark.js";
import { listedObjects } from "./listed-objects.js";
import { connect, inWords } from "./session.js";

/** The product that is backed up, or restored into. */
export interface Place {
  databaseUrl: string;
  storageUrl: string;
  /** Key of the site passwords; it is not kept, only a mark to know it by. */
  secretKey?: Buffer | undefined;
}

export interface BackupOptions {
  /** Of this backup and the ones after it: bytes that are there already are not copied again. */
  folder: string;
  /** Gets lines for a person. */
  say(line: string): void;
  signal: AbortSignal;
}

/**
 * Backs up rows and bytes of a product that runs or stands still. The rows are of one moment; bytes are copied after them, and
 * nothing that they refer to is removed meanwhile. Cut off at any point, the backup that the folder held before still stands.
 * @throws AppError conflict where the database is not of this version, unavailable
 */
export async function backUp(place: Place, { folder: given, say, signal }: BackupOptions): Promise<void> {
  const folder = resolve(given);
  const source = openObjectDriver(place.storageUrl);
  const target = openObjectDriver(objectsAddress(folder));
  const session = await connect(place.databaseUrl, "web-tester backup", signal);
  try {
    const { client } = session;
    requireThisVersion(await appliedMigrations(client));
    // held until the end of the session: the collector takes it alone, and so stands still
    await client.query("SELECT pg_advisory_lock_shared($1)", [collectingLock]);
    const rows = await makeRowsFolder(folder);
    const dump = await dumpRows(client, join(folder, rows), session.signal);
    say(`Rows: ${dump.tables.reduce((sum, table) => sum + table.rows, 0)} in ${dump.tables.length} tables.`);
    await target.check();
    const wanted = () => listedObjects(join(folder, rows), dump.objects.file);
    const { copied, present, lost } = await copyObjects({
      source,
      target,
      wanted: wanted(),
      signal: session.signal,
      onProgress: inWords(say, dump.objects.count),
    });
    // had the session ended, the collector would have gone on
    await client.query("SELECT 1");
    await finishBackup(folder, {
      ...dump,
      rows,
      madeAt: new Date().toISOString(),
      lost: lost.map((hash) => hash.toString("hex")),
      keyMark: place.secretKey === undefined ? null : keyMark(place.secretKey),
    });
    const removed = await removeOthers(target, wanted());
    say(
      `Bytes: ${copied} contents copied, ${present} were there already, ${removed} that no row names any more removed.`,
    );
    if (lost.length > 0)
      say(
        `WARNING: the object store has lost ${lost.length} contents, ${lost[0]?.toString("hex")} first. All else is in the backup.`,
      );
    say(`Backed up to ${folder}. The key of site passwords (SECRET_KEY) is not in it: keep it in another place.`);
  } finally {
    await session.close();
    source.close();
    target.close();
  }
}

function requireThisVersion(applied: readonly string[]): void {
  if (applied.join() === migrationNames.join()) return;
  const newer = applied.some((name) => !migrationNames.includes(name));
  throw new AppError(
    "conflict",
    newer
      ? "The database belongs to a newer version: back it up with that version."
      : "The database lacks migrations of this version: run them first (node packages/platform/dist/db/migrate.js up), or back up with the version that runs.",
  );
}
