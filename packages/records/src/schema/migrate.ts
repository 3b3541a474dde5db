import { migrateWhereNeeded } from "./migrate-where-needed.js";

/** Command: `node migrate.js [up|down]` with `DATABASE_URL`; `down` takes back the newest migration. */
async function main(): Promise<void> {
  const url = process.env["DATABASE_URL"];
  const direction = process.argv[2] ?? "up";
  if (url === undefined || url === "" || (direction !== "up" && direction !== "down")) {
    throw new Error(
      "Set DATABASE_URL to a PostgreSQL 18 address (postgres://user:password@host:port/database) and call migrate with up or down.",
    );
  }
  if (direction === "up") {
    const applied = await migrateWhereNeeded(url);
    process.stdout.write(applied.length === 0 ? "The database is up to date.\n" : `Applied: ${applied.join(", ")}\n`);
    return;
  }
  const { createDataSource } = await import("./data-source.js");
  const source = await createDataSource(url).initialize();
  await source.undoLastMigration();
  await source.destroy();
  process.stdout.write("Took back the newest migration.\n");
}

try {
  await main();
} catch (error) {
  process.stderr.write(`Migration failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
