import { type DynamicModule, Module, type ValueProvider } from "@nestjs/common";
import { APP_FILTER, APP_GUARD, DiscoveryModule } from "@nestjs/core";
import { AssetsController } from "./assets/assets.controller.js";
import { AccessGuard } from "./auth/access.guard.js";
import { BackgroundWorker } from "./background-worker.js";
import { ChecksController } from "./checks/checks.controller.js";
import { CompareController } from "./compare/compare.controller.js";
import { ChangesController } from "./compare/changes.controller.js";
import { ReviewsController } from "./reviews/reviews.controller.js";
import { SchedulesController } from "./schedules/schedules.controller.js";
import { DueRuns } from "./runs/due-runs.js";
import { NoiseRuns } from "./runs/noise-runs.js";
import { DueRemovals } from "./runs/due-removals.js";
import { RemovalsController } from "./runs/removals.controller.js";
import { LookRuns } from "./runs/look-runs.js";
import { LifecycleController } from "./lifecycle/lifecycle.controller.js";
import { ChannelsController } from "./notifications/channels.controller.js";
import { FeedsController } from "./notifications/feeds.controller.js";
import { RoutesController } from "./notifications/routes.controller.js";
import { Notifier } from "./notifications/notifier.js";
import { RulesController } from "./rules/rules.controller.js";
import { FilesController } from "./compare/files.controller.js";
import { VisualController } from "./compare/visual.controller.js";
import { ConfigController } from "./service/config.controller.js";
import { ErrorFilter } from "./http/error.filter.js";
import { HealthController } from "./service/health.controller.js";
import { InstancesController } from "./instances/instances.controller.js";
import { ObjectsController } from "./objects/objects.controller.js";
import { ConsoleGateway } from "./realtime/console.gateway.js";
import { ObjectGateway } from "./realtime/object.gateway.js";
import { AccessKeeper } from "./access/access-keeper.js";
import { AuditController } from "./access/audit.controller.js";
import { OidcController } from "./access/oidc.controller.js";
import { SessionController } from "./access/session.controller.js";
import { SharesController } from "./access/shares.controller.js";
import { TokensController } from "./access/tokens.controller.js";
import { Sockets } from "./realtime/sockets.js";
import { ReportKeeper } from "./runs/report-keeper.js";
import { RunsController } from "./runs/runs.controller.js";
import { PhraseSearch } from "./search/phrase-search.js";
import { SearchController } from "./search/search.controller.js";
import { SampleController } from "./sample/sample.controller.js";
import { SampleSite } from "./sample/sample-site.js";
import { SnapshotsController } from "./snapshots/snapshots.controller.js";
import { StatsController } from "./stats/stats.controller.js";
import { TransferController } from "./transfer/transfer.controller.js";
import { Watcher } from "./watcher.js";

@Module({
  imports: [DiscoveryModule],
  controllers: [
    ObjectsController,
    InstancesController,
    RunsController,
    RemovalsController,
    SnapshotsController,
    AssetsController,
    CompareController,
    VisualController,
    ChangesController,
    FilesController,
    RulesController,
    ReviewsController,
    ChecksController,
    SchedulesController,
    LifecycleController,
    ChannelsController,
    RoutesController,
    FeedsController,
    SearchController,
    StatsController,
    TransferController,
    ConfigController,
    HealthController,
    SampleController,
    SessionController,
    OidcController,
    TokensController,
    AuditController,
    SharesController,
  ],
  providers: [
    Sockets,
    ObjectGateway,
    ConsoleGateway,
    PhraseSearch,
    BackgroundWorker,
    ReportKeeper,
    DueRuns,
    LookRuns,
    DueRemovals,
    NoiseRuns,
    Notifier,
    Watcher,
    AccessKeeper,
    SampleSite,
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class AppModule {
  /** @param parts the values that the features depend on, under the tokens of `parts.ts` */
  static over(parts: readonly ValueProvider[]): DynamicModule {
    return { module: AppModule, providers: [...parts] };
  }
}
