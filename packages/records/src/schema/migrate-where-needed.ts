import { AppError } from "@web-tester/contracts/errors";
import { openDatabase } from "@web-tester/platform/database/database";
import { migrationNames } from "./migrations.js";

/**
 * As `migrate`, which loads TypeORM; that takes longer than to find that there is nothing to do.
 * @param steps how many of the migrations the database shall have, from the first on
 * @returns names of the migrations that were applied
 * @throws AppError conflict where a newer version has brought the database further than this one knows
 */
export async function migrateWhereNeeded(url: string, steps = migrationNames.length): Promise<string[]> {
  const applied = await readApplied(url);
  refuseNewer(applied);
  if (applied.join() === migrationNames.slice(0, steps).join()) return [];
  const { migrate } = await import("./data-source.js");
  return migrate(url, steps);
}

/** Empty where they cannot be read: what is wrong with the database is said by who goes on. */
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
 * Services of an older version may run beside a newer one while it is brought in; who calls for the migrations of the older
 * one means to go back, and would work on a database whose rows say what it does not understand.
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

/** The time at the end of a migration's name, by which they are ordered. */
function timeOf(name: string): number {
  return Number(/\d+$/.exec(name)?.[0] ?? 0);
}
