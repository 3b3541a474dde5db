import { jobWords } from "@web-tester/contracts/job-lines";
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from "@nestjs/common";
import type { Bus } from "@web-tester/platform/bus/bus";
import { consumeAll } from "@web-tester/platform/bus/consume-all";
import type { Database } from "@web-tester/platform/database/database";
import { contentGraceMs } from "@web-tester/records/contents/touch-contents";
import type { Logger } from "@web-tester/platform/log/logger";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { startCollector } from "@web-tester/records/contents/collect-contents";
import { startRetention } from "@web-tester/records/snapshots/apply-retention";
import { type ReconcilerOptions, startReconciler } from "@web-tester/worker/reconcile";
import { createDeleteRows } from "./deletion/delete-rows.js";
import { recoverDeletions } from "./deletion/recover-deletions.js";
import { BUS, DB, type GatewayOptions, LOG, OPTIONS, STORE } from "./parts.js";
import { startClock } from "./service/keep-clock.js";
import { createApplyImport } from "./transfer/apply-import.js";
import { recoverImports } from "@web-tester/records/imports/recover-imports";

const concurrency = 2;
const collectEveryMs = 10 * 60_000;

/** Handles deletions and imports from the bus and collects unreferenced data, as long as the gateway runs. */
@Injectable()
export class BackgroundWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private stops: (() => Promise<void>)[] = [];

  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(STORE) private readonly store: ObjectStore,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOG) private readonly log: Logger,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { db, bus } = this;
    const deps = { db, bus, signal: this.stopping.signal };
    const stopTaking = await consumeAll(bus, "gateway", [
      { name: "delete", concurrency, handle: createDeleteRows(deps) },
      { name: "import", concurrency, handle: createApplyImport(deps) },
    ]);
    this.stops = [
      stopTaking,
      ...this.startReconcilers(),
      this.startCollecting(),
      this.startTrimming(),
      this.startClock(),
    ];
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.stops.map((stop) => stop()));
  }

  private startReconcilers(): (() => Promise<void>)[] {
    const { db, bus, options } = this;
    const { hostConcurrency, reconcileMs: everyMs, onError, onRecovered } = options;
    const reconciling: ReconcilerOptions = { db, bus, hostConcurrency, everyMs, onError, onRecovered };
    return [startReconciler(recoverDeletions, reconciling), startReconciler(recoverImports, reconciling)];
  }

  private startCollecting(): () => Promise<void> {
    return startCollector({
      db: this.db,
      store: this.store,
      graceMs: contentGraceMs,
      everyMs: collectEveryMs,
      straysEvery: 144,
      onCollected: (message) => this.log.info(message),
      onError: this.options.onError,
    });
  }

  private startClock(): () => Promise<void> {
    const { db, log, options } = this;
    const { leaseMs, onError } = options;
    return startClock({ db, log, leaseMs, onError, everyMs: options.reconcileMs * 2 });
  }

  private startTrimming(): () => Promise<void> {
    const { db, bus, log, options } = this;
    return startRetention({
      db,
      everyMs: options.reconcileMs * 4,
      onRemoved: (objectId, removed) => {
        log.info(
          { audit: "retention", actor: "retention", objectId, removed },
          "Snapshots were removed as the object's options say",
        );
        bus.logLine(
          objectId,
          "info",
          jobWords("retention-removed", { n: removed.byAge + removed.byCount + removed.unchanged, ...removed }),
        );
      },
      onError: options.onError,
    });
  }
}
