import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from "@nestjs/common";
import type { Bus } from "@web-tester/platform/bus/bus";
import { consumeAll } from "@web-tester/platform/bus/consume-all";
import type { Database } from "@web-tester/platform/db/database";
import type { Logger } from "@web-tester/platform/logger";
import { startReconciler } from "@web-tester/platform/work/reconcile";
import { BUS, DB, type GatewayOptions, LOG, OPTIONS } from "../parts.js";
import { createDeleteRows } from "./delete-rows.js";
import { recoverDeletions } from "./recover-deletions.js";

const concurrency = 2;

/** Takes deletions from the bus as long as the gateway runs. */
@Injectable()
export class DeletionWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private stops: (() => Promise<void>)[] = [];

  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOG) private readonly log: Logger,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { db, bus, log, options } = this;
    const stopTaking = await consumeAll(bus, "gateway", [
      { name: "delete", concurrency, handle: createDeleteRows({ db, bus, signal: this.stopping.signal }) },
    ]);
    const stopReconciling = startReconciler(recoverDeletions, {
      db,
      bus,
      hostConcurrency: options.hostConcurrency,
      everyMs: options.reconcileMs,
      onError: (message, error) => log.error({ err: error }, message),
      onRecovered: (message) => log.warn(message),
    });
    this.stops = [stopTaking, stopReconciling];
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.stops.map((stop) => stop()));
  }
}
