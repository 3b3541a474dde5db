import { DataSource } from "typeorm";
import { changeEntity } from "../changes/change.table.js";
import { contentEntity } from "../contents/content.table.js";
import { contentRemovalEntity } from "../contents/content-removal.table.js";
import { crawlCarrierEntity } from "../pages/crawl-carrier.table.js";
import { crawlLinkEntity } from "../pages/crawl-link.table.js";
import { crawlPageEntity } from "../pages/crawl-page.table.js";
import { crawlSkipEntity } from "../pages/crawl-skip.table.js";
import { hostGateEntity } from "../hosts/host-gate.table.js";
import { importContentEntity } from "../imports/import-content.table.js";
import { importJobEntity } from "../imports/import-job.table.js";
import { importRowEntity } from "../imports/import-row.table.js";
import { objectTotalEntity } from "../objects/object-total.table.js";
import { robotsFileEntity } from "../hosts/robots-file.table.js";
import { runEntity } from "../runs/run.table.js";
import { searchEntryEntity } from "../search/search-entry.table.js";
import { searchPackEntity } from "../search/search-pack.table.js";
import { searchSectionEntity } from "../search/search-section.table.js";
import { siteAssetEntity } from "../assets/site-asset.table.js";
import { snapshotAssetEntity } from "../assets/snapshot-asset.table.js";
import { storedTotalEntity } from "../contents/stored-total.table.js";
import { testInstanceEntity } from "../instances/instance.table.js";
import { testObjectEntity } from "../objects/object.table.js";
import { testSnapshotEntity } from "../snapshots/snapshot.table.js";
import { visualCacheEntity } from "../changes/visual-cache.table.js";
import { MainJob1700000000000 } from "./migrations/1700000000000-main-job.js";
import { Discovery1700000001000 } from "./migrations/1700000001000-discovery.js";
import { CrawlReports1700000002000 } from "./migrations/1700000002000-crawl-reports.js";
import { Browser1700000003000 } from "./migrations/1700000003000-browser.js";
import { Assets1700000004000 } from "./migrations/1700000004000-assets.js";
import { Storage1700000005000 } from "./migrations/1700000005000-storage.js";
import { Search1700000006000 } from "./migrations/1700000006000-search.js";
import { Transfer1700000007000 } from "./migrations/1700000007000-transfer.js";
import { Visual1700000010000 } from "./migrations/1700000010000-visual.js";
import { Retention1700000011000 } from "./migrations/1700000011000-retention.js";
import { StoredTotal1700000012000 } from "./migrations/1700000012000-stored-total.js";
import { ObjectTotals1700000013000 } from "./migrations/1700000013000-object-totals.js";
import { SnapshotTexts1700000014000 } from "./migrations/1700000014000-snapshot-texts.js";
import { Removals1700000015000 } from "./migrations/1700000015000-removals.js";
import { PageFailures1700000016000 } from "./migrations/1700000016000-page-failures.js";
import { HeldImports1700000017000 } from "./migrations/1700000017000-held-imports.js";
import { CrawlRules1700000018000 } from "./migrations/1700000018000-crawl-rules.js";
import { StatusWords1700000019000 } from "./migrations/1700000019000-status-words.js";
import { ReadyRules1700000020000 } from "./migrations/1700000020000-ready-rules.js";

const migrations = [
  MainJob1700000000000,
  Discovery1700000001000,
  CrawlReports1700000002000,
  Browser1700000003000,
  Assets1700000004000,
  Storage1700000005000,
  Search1700000006000,
  Transfer1700000007000,
  Visual1700000010000,
  Retention1700000011000,
  StoredTotal1700000012000,
  ObjectTotals1700000013000,
  SnapshotTexts1700000014000,
  Removals1700000015000,
  PageFailures1700000016000,
  HeldImports1700000017000,
  CrawlRules1700000018000,
  StatusWords1700000019000,
  ReadyRules1700000020000,
];

/** Names of all migrations in their order. */
export const migrationNames: readonly string[] = migrations.map((Migration) => new Migration().name);

/**
 * The schema as TypeORM knows it: used for migrations and to check that entities and migrations agree.
 * @param steps migrations to know, from the first on
 */
export function createDataSource(url: string, steps = migrations.length): DataSource {
  return new DataSource({
    type: "postgres",
    url,
    entities: [
      testObjectEntity,
      runEntity,
      testInstanceEntity,
      objectTotalEntity,
      contentEntity,
      contentRemovalEntity,
      storedTotalEntity,
      testSnapshotEntity,
      changeEntity,
      crawlPageEntity,
      crawlSkipEntity,
      crawlLinkEntity,
      crawlCarrierEntity,
      robotsFileEntity,
      hostGateEntity,
      importContentEntity,
      importJobEntity,
      importRowEntity,
      snapshotAssetEntity,
      siteAssetEntity,
      searchPackEntity,
      searchSectionEntity,
      searchEntryEntity,
      visualCacheEntity,
    ],
    migrations: migrations.slice(0, steps),
    migrationsTableName: "migration",
    migrationsTransactionMode: "each",
    extra: { max: 2 },
  });
}

/**
 * Applies the migrations that a database lacks, or takes back those that it has too many. Several callers at once wait for one another
 * (advisory lock).
 * @param steps how many of the migrations it shall have, from the first on
 * @returns names of the migrations that were applied
 */
export async function migrate(url: string, steps = migrations.length): Promise<string[]> {
  const source = await createDataSource(url, steps).initialize();
  const runner = source.createQueryRunner();
  try {
    await runner.query("SELECT pg_advisory_lock(7231)");
    const applied = await source.runMigrations();
    if (steps < migrations.length) await takeBack(url, steps);
    return applied.map((migration) => migration.name);
  } finally {
    await runner.query("SELECT pg_advisory_unlock(7231)").catch(() => undefined);
    await runner.release();
    await source.destroy();
  }
}

async function takeBack(url: string, steps: number): Promise<void> {
  const source = await createDataSource(url).initialize();
  try {
    const [row] = await source.query<{ count: number }[]>("SELECT count(*)::int AS count FROM migration");
    for (let count = row?.count ?? 0; count > steps; count--) await source.undoLastMigration({ transaction: "each" });
  } finally {
    await source.destroy();
  }
}

/** Statements that would still be needed to make the database what the entities say; empty when both agree. */
export async function schemaDrift(url: string): Promise<string[]> {
  const source = await createDataSource(url).initialize();
  try {
    const sql = await source.driver.createSchemaBuilder().log();
    return sql.upQueries.map((query) => query.query);
  } finally {
    await source.destroy();
  }
}
