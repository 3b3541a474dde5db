import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from "@nestjs/common";
import type { Database } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import { DB, type GatewayOptions, LOG, OPTIONS } from "../parts.js";
import { pruneReports } from "./prune-reports.js";

/** Keeps the lists of the newest crawls, and removes those of older ones, as long as the gateway runs. */
@Injectable()
export class ReportKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> = Promise.resolve();

  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.current = this.current.then(() => this.prune());
    }, this.options.reconcileMs * 4);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.current;
  }

  private async prune(): Promise<void> {
    try {
      const runs = await pruneReports(this.db, this.stopping.signal);
      if (runs > 0) this.log.info(`The lists of ${runs} old crawls were removed; their counts are kept`);
    } catch (error) {
      if (!this.stopping.signal.aborted) this.log.error({ err: error }, "removing the lists of old crawls failed");
    }
  }
}
