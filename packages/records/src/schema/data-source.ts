import { DataSource } from "typeorm";
import { changeEntity } from "../changes/change.table.js";
import { contentEntity } from "../contents/content.table.js";
import { contentRemovalEntity } from "../contents/content-removal.table.js";
import { crawlCarrierEntity } from "../pages/crawl-carrier.table.js";
import { crawlLinkEntity } from "../pages/crawl-link.table.js";
import { crawlPageEntity } from "../pages/crawl-page.table.js";
import { crawlSkipEntity } from "../pages/crawl-skip.table.js";
import { hostGateEntity } from "../hosts/host-gate.table.js";
import { changedFilesEntity } from "../changes/changed-files.table.js";
import { hunkSampleEntity } from "../changes/hunk-sample.table.js";
import { hunkTextEntity } from "../changes/hunk-text.table.js";
import { ignoreRuleEntity } from "../rules/ignore-rule.table.js";
import { importContentEntity } from "../imports/import-content.table.js";
import { importJobEntity } from "../imports/import-job.table.js";
import { importRowEntity } from "../imports/import-row.table.js";
import { objectTotalEntity } from "../objects/object-total.table.js";
import { robotsFileEntity } from "../hosts/robots-file.table.js";
import { runEntity } from "../runs/run.table.js";
import { channelEntity } from "../channels/channel.table.js";
import { routeEntity } from "../channels/route.table.js";
import { releaseCheckEntity } from "../checks/release-check.table.js";
import { statusBadgeEntity } from "../checks/status-badge.table.js";
import { comparisonEntity } from "../comparisons/comparison.table.js";
import { comparedHunkEntity } from "../comparisons/compared-hunk.table.js";
import { comparedPageEntity } from "../comparisons/compared-page.table.js";
import { feedEntity } from "../feeds/feed.table.js";
import { feedEntryEntity } from "../feeds/feed-entry.table.js";
import { changeRhythmEntity } from "../rhythm/change-rhythm.table.js";
import { deliveryEntity } from "../deliveries/delivery.table.js";
import { pageLifecycleEntity } from "../lifecycle/page-lifecycle.table.js";
import { removalEntity } from "../removals/removal.table.js";
import { watchEventEntity } from "../events/watch-event.table.js";
import { watchEventPartEntity } from "../events/watch-event-part.table.js";
import { dueTimeEntity } from "../schedules/due-time.table.js";
import { scheduleEntity } from "../schedules/schedule.table.js";
import { scriptEffectEntity } from "../script-effects/script-effect.table.js";
import { searchEntryEntity } from "../search/search-entry.table.js";
import { searchPackEntity } from "../search/search-pack.table.js";
import { searchSectionEntity } from "../search/search-section.table.js";
import { fileListEntity } from "../assets/file-list.table.js";
import { siteAssetEntity } from "../assets/site-asset.table.js";
import { snapshotAssetEntity } from "../assets/snapshot-asset.table.js";
import { storedTotalEntity } from "../contents/stored-total.table.js";
import { installationEntity } from "../installation/installation.table.js";
import { testInstanceEntity } from "../instances/instance.table.js";
import { testObjectEntity } from "../objects/object.table.js";
import { testSnapshotEntity } from "../snapshots/snapshot.table.js";
import { siteSessionEntity } from "../sessions/site-session.table.js";
import { apiTokenEntity } from "../tokens/api-token.table.js";
import { auditEntryEntity } from "../audit/audit-entry.table.js";
import { shareLinkEntity } from "../shares/share-link.table.js";
import { signInEntity } from "../sign-ins/sign-in.table.js";
import { verdictEntity } from "../reviews/verdict.table.js";
import { visualCacheEntity } from "../changes/visual-cache.table.js";
import { openSession, requireSessions } from "@web-tester/platform/database/require-sessions";
import { migrations } from "./migrations.js";

/** All tables, each defined in the folder of its noun. */
const entities = [
  testObjectEntity,
  apiTokenEntity,
  auditEntryEntity,
  shareLinkEntity,
  signInEntity,
  runEntity,
  testInstanceEntity,
  objectTotalEntity,
  contentEntity,
  contentRemovalEntity,
  storedTotalEntity,
  installationEntity,
  testSnapshotEntity,
  changeEntity,
  hunkTextEntity,
  hunkSampleEntity,
  changedFilesEntity,
  ignoreRuleEntity,
  verdictEntity,
  scheduleEntity,
  dueTimeEntity,
  pageLifecycleEntity,
  removalEntity,
  watchEventEntity,
  watchEventPartEntity,
  channelEntity,
  routeEntity,
  deliveryEntity,
  releaseCheckEntity,
  statusBadgeEntity,
  comparisonEntity,
  comparedPageEntity,
  comparedHunkEntity,
  feedEntity,
  feedEntryEntity,
  changeRhythmEntity,
  crawlPageEntity,
  crawlSkipEntity,
  crawlLinkEntity,
  crawlCarrierEntity,
  robotsFileEntity,
  hostGateEntity,
  importContentEntity,
  importJobEntity,
  importRowEntity,
  fileListEntity,
  snapshotAssetEntity,
  siteAssetEntity,
  searchPackEntity,
  searchSectionEntity,
  searchEntryEntity,
  siteSessionEntity,
  scriptEffectEntity,
  visualCacheEntity,
];

/**
 * The schema as TypeORM knows it: used for migrations and to check that entities and migrations agree.
 * @param steps number of migrations to include, from the first on
 */
export function createDataSource(url: string, steps = migrations.length): DataSource {
  return new DataSource({
    type: "postgres",
    url,
    entities,
    migrations: migrations.slice(0, steps),
    migrationsTableName: "migration",
    migrationsTransactionMode: "each",
    extra: { max: 2 },
  });
}

/**
 * Applies the migrations that a database lacks, or reverts those beyond `steps`. Concurrent callers wait for each other (advisory lock).
 * @param steps number of migrations that the database has to have afterwards, from the first on
 * @returns names of the migrations that were applied
 */
export async function migrate(url: string, steps = migrations.length): Promise<string[]> {
  await requireSessions(() => openSession(url));
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

/** Returns the statements that would still be needed to make the database match the entities; empty when both agree. */
export async function schemaDrift(url: string): Promise<string[]> {
  const source = await createDataSource(url).initialize();
  try {
    const sql = await source.driver.createSchemaBuilder().log();
    return sql.upQueries.map((query) => query.query);
  } finally {
    await source.destroy();
  }
}
