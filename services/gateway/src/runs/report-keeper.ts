import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from "@nestjs/common";
import type { Database } from "@web-tester/platform/database/database";
import { every, type Repeating } from "@web-tester/platform/lifecycle/every";
import type { Logger } from "@web-tester/platform/log/logger";
import { DB, type GatewayOptions, LOG, OPTIONS } from "../parts.js";
import { pruneReports } from "./prune-reports.js";

/** Removes the lists of older crawls periodically and keeps those of the newest, as long as the gateway runs. */
@Injectable()
export class ReportKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private repeating: Repeating | undefined;

  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.repeating = every(
      this.options.reconcileMs * 4,
      (signal) => this.prune(signal),
      (err) => this.log.error({ err }, "removing the lists of old crawls failed"),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.repeating?.stop();
  }

  private async prune(signal: AbortSignal): Promise<void> {
    const runs = await pruneReports(this.db, signal);
    if (runs > 0) this.log.info(`The lists of ${runs} old crawls were removed; their counts are kept`);
  }
}
