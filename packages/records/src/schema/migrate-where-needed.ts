import { AppError } from "@web-tester/contracts/errors";
import { openDatabase } from "@web-tester/platform/database/database";
import { migrationNames } from "./migrations.js";

/**
 * Like `migrate`, but loads TypeORM only if there is something to do, because loading takes longer than finding that out.
 * @param steps number of migrations that the database has to have afterwards, from the first on
 * @returns names of the migrations that were applied
 * @throws AppError conflict when a newer version has applied migrations that this one does not know
 */
export async function migrateWhereNeeded(url: string, steps = migrationNames.length): Promise<string[]> {
  const applied = await readApplied(url);
  refuseNewer(applied);
  if (applied.join() === migrationNames.slice(0, steps).join()) return [];
  const { migrate } = await import("./data-source.js");
  return migrate(url, steps);
}

/** Returns the applied migrations; none when they cannot be read, because the next step reports what is wrong with the database. */
async function readApplied(url: string): Promise<string[]> {
  const db = openDatabase(url, 1, () => undefined);
  try {
    const applied = await db.query<{ name: string }>("SELECT name FROM migration ORDER BY id");
    return applied.map(({ name }) => name);
  } catch {
    return [];
  } finally {
    await db.close();
  }
}

/**
 * Refuses a database that a newer version has migrated. Services of an older version may run beside a newer one during an upgrade; but
 * whoever runs the migrations of the older one wants to go back, and would work on rows that it does not understand.
 */
function refuseNewer(applied: readonly string[]): void {
  const newest = timeOf(migrationNames.at(-1) ?? "");
  const newer = applied.filter((name) => !migrationNames.includes(name) && timeOf(name) > newest);
  if (newer.length === 0) return;
  throw new AppError(
    "conflict",
    `The database was used by a newer version (its schema has ${newer.join(", ")}): start that version, or a newer one. ` +
      `To go back to this one, let that version take back what it brought (${newer.length === 1 ? "one migration" : `${newer.length} migrations`}; docs/operations.md, Upgrades), or restore a backup from before.`,
  );
}

/** Returns the time at the end of a migration's name, by which migrations are ordered. */
function timeOf(name: string): number {
  return Number(/\d+$/.exec(name)?.[0] ?? 0);
}
