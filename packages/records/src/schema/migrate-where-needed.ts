import { openDatabase } from "@web-tester/platform/database/database";
import { migrationNames } from "./migrations.js";

/**
 * As `migrate`, which loads TypeORM; that takes longer than to find that there is nothing to do.
 * @param steps how many of the migrations the database shall have, from the first on
 * @returns names of the migrations that were applied
 */
export async function migrateWhereNeeded(url: string, steps = migrationNames.length): Promise<string[]> {
  if (await hasExactly(url, migrationNames.slice(0, steps))) return [];
  const { migrate } = await import("./data-source.js");
  return migrate(url, steps);
}

/** Whether exactly these migrations are applied; what is wrong with the database is said by who goes on. */
async function hasExactly(url: string, names: readonly string[]): Promise<boolean> {
  const db = openDatabase(url, 1, () => undefined);
  try {
    const applied = await db.query<{ name: string }>("SELECT name FROM migration ORDER BY id");
    return applied.map(({ name }) => name).join() === names.join();
  } catch {
    return false;
  } finally {
    await db.close();
  }
}
