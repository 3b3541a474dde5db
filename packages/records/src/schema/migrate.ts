import { openDatabase } from "@web-tester/platform/database/database";
import { migrationNames } from "./migrations.js";

/** Command: `node migrate.js [up|down]` with `DATABASE_URL`; `down` takes back the newest migration. */
async function main(): Promise<void> {
  const url = process.env["DATABASE_URL"];
  const direction = process.argv[2] ?? "up";
  if (url === undefined || url === "" || (direction !== "up" && direction !== "down")) {
    throw new Error(
      "Set DATABASE_URL to a PostgreSQL 18 address (postgres://user:password@host:port/database) and call migrate with up or down.",
    );
  }
  const upToDate = "The database is up to date.\n";
  if (direction === "up" && (await isUpToDate(url))) {
    process.stdout.write(upToDate);
    return;
  }
  // TypeORM takes longer to load than to find that there is nothing to do
  const { createDataSource, migrate } = await import("./data-source.js");
  if (direction === "up") {
    const applied = await migrate(url);
    process.stdout.write(applied.length === 0 ? upToDate : `Applied: ${applied.join(", ")}\n`);
    return;
  }
  const source = await createDataSource(url).initialize();
  await source.undoLastMigration();
  await source.destroy();
  process.stdout.write("Took back the newest migration.\n");
}

/** Whether exactly the migrations that we know are applied; what is wrong with the database is said by who goes on. */
async function isUpToDate(url: string): Promise<boolean> {
  const db = openDatabase(url, 1, () => undefined);
  try {
    const applied = await db.query<{ name: string }>("SELECT name FROM migration ORDER BY id");
    return applied.map(({ name }) => name).join() === migrationNames.join();
  } catch {
    return false;
  } finally {
    await db.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`Migration failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
