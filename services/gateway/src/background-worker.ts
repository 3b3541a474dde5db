import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from "@nestjs/common";
import type { Bus } from "@web-tester/platform/bus/bus";
import { consumeAll } from "@web-tester/platform/bus/consume-all";
import type { Database } from "@web-tester/platform/database/database";
import { contentGraceMs } from "@web-tester/records/contents/touch-contents";
import type { Removed } from "@web-tester/records/objects/retention-rules";
import type { Logger } from "@web-tester/platform/log/logger";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { startCollector } from "@web-tester/records/contents/collect-contents";
import { startRetention } from "@web-tester/records/snapshots/apply-retention";
import { type ReconcilerOptions, startReconciler } from "@web-tester/worker/reconcile";
import { createDeleteRows } from "./deletion/delete-rows.js";
import { recoverDeletions } from "./deletion/recover-deletions.js";
import { BUS, DB, type GatewayOptions, LOG, OPTIONS, STORE } from "./parts.js";
import { createApplyImport } from "./transfer/apply-import.js";
import { recoverImports } from "@web-tester/records/imports/recover-imports";

const concurrency = 2;
const collectEveryMs = 10 * 60_000;

/** Takes deletions and imports from the bus, and frees what nothing refers to any more, as long as the gateway runs. */
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
    const { db, bus, log, options } = this;
    const deps = { db, bus, signal: this.stopping.signal };
    const stopTaking = await consumeAll(bus, "gateway", [
      { name: "delete", concurrency, handle: createDeleteRows(deps) },
      { name: "import", concurrency, handle: createApplyImport(deps) },
    ]);
    const reconciling: ReconcilerOptions = {
      db,
      bus,
      hostConcurrency: options.hostConcurrency,
      everyMs: options.reconcileMs,
      onError: (message, error) => log.error({ err: error }, message),
      onRecovered: options.onRecovered,
    };
    const stopReconciling = [
      startReconciler(recoverDeletions, reconciling),
      startReconciler(recoverImports, reconciling),
    ];
    const stopCollecting = startCollector({
      db,
      store: this.store,
      graceMs: contentGraceMs,
      everyMs: collectEveryMs,
      straysEvery: 144,
      onCollected: (message) => log.info(message),
      onError: (message, error) => log.error({ err: error }, message),
    });
    const stopTrimming = startRetention({
      db,
      everyMs: options.reconcileMs * 4,
      onRemoved: (objectId, removed) => {
        log.info(
          { audit: "retention", actor: "retention", objectId, removed },
          "Snapshots were removed as the object's options say",
        );
        bus.logLine(objectId, "info", removedWords(removed));
      },
      onError: (message, error) => log.error({ err: error }, message),
    });
    this.stops = [stopTaking, ...stopReconciling, stopCollecting, stopTrimming];
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.stops.map((stop) => stop()));
  }
}

function removedWords({ byAge, byCount, unchanged }: Removed): string {
  const parts = [`${byAge} too old`, `${byCount} more than are kept of a page`, `${unchanged} unchanged`];
  return `Retention removed ${byAge + byCount + unchanged} snapshots: ${parts.join(", ")}`;
}
