import { readdirSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import { type Queryable, readOnlyWords } from "@web-tester/platform/database/database";

/** The last of `migrationNames`, derived from file names: importing the list itself would load all of TypeORM. */
export const newestMigration = nameOf(
  readdirSync(join(import.meta.dirname, "migrations"))
    .filter((file) => /^\d+-[\w-]+\.[jt]s$/.test(file))
    .toSorted()
    .at(-1) ?? "",
);

/** Returns a migration's name: `1700000019000-status-words.js` holds StatusWords1700000019000. */
function nameOf(file: string): string {
  const [time = "", ...words] = file.replace(/\.\w+$/, "").split("-");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("") + time;
}

/** undefined_table */
const noTable = "42P01";

/**
 * Checks that the database answers, and has the schema that this code was written for.
 * @throws AppError unavailable, with what to do
 */
export async function checkSchema(db: Queryable): Promise<void> {
  if (await isApplied(db, newestMigration)) return;
  throw new AppError(
    "unavailable",
    `The database lacks the migration ${newestMigration}. Apply the migrations: node packages/records/dist/schema/migrate.js up, or the Job or service "migrate".`,
  );
}

/** What `/readyz` reports about a database that answers but is read-only; null when it is writable. */
export async function readOnlyProblem(db: Queryable): Promise<string | null> {
  const rows = await db
    .query<{ mode: string }>("SELECT current_setting('transaction_read_only') AS mode")
    // that the database does not answer is reported by the check itself
    .catch(() => []);
  return rows[0]?.mode === "on" ? `${readOnlyWords}.` : null;
}

async function isApplied(db: Queryable, name: string): Promise<boolean> {
  try {
    return (await db.query("SELECT 1 FROM migration WHERE name = $1", [name])).length > 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === noTable) return false;
    throw error;
  }
}
