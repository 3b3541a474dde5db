import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from "@nestjs/common";
import type { Database } from "@web-tester/platform/database/database";
import { every, type Repeating } from "@web-tester/platform/lifecycle/every";
import type { Logger } from "@web-tester/platform/log/logger";
import { selectWaitingWork } from "@web-tester/records/events/waiting-work";
import { DB, LOG } from "./parts.js";
import { DueRemovals } from "./runs/due-removals.js";
import { DueRuns } from "./runs/due-runs.js";
import { LookRuns } from "./runs/look-runs.js";
import { NoiseRuns } from "./runs/noise-runs.js";
import { Notifier } from "./notifications/notifier.js";

const everyMs = 750;
/** Noise runs are not urgent: they are looked for only every fourth turn. */
const noiseEveryTurns = 4;

/**
 * The clock of a gateway: asks with one small query whether anything is due for those that begin runs, look at pages again, notify or
 * delete, and lets these start. Each checks for itself what it takes, so that any number of gateways can do so at the same time.
 */
@Injectable()
export class Watcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private repeating: Repeating | null = null;
  private turns = 0;

  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
    @Inject(DueRemovals) private readonly dueRemovals: DueRemovals,
    @Inject(DueRuns) private readonly dueRuns: DueRuns,
    @Inject(LookRuns) private readonly lookRuns: LookRuns,
    @Inject(NoiseRuns) private readonly noiseRuns: NoiseRuns,
    @Inject(Notifier) private readonly notifier: Notifier,
  ) {}

  onApplicationBootstrap(): void {
    this.repeating = every(
      everyMs,
      () => this.look(),
      (error) => this.log.error({ err: error }, "looking for what is due failed"),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.repeating?.stop();
  }

  private async look(): Promise<void> {
    const waiting = await selectWaitingWork(this.db);
    if (waiting.removals) this.dueRemovals.begin();
    if (waiting.due) this.dueRuns.begin();
    if (waiting.telling) this.notifier.begin();
    if (waiting.looks) this.lookRuns.begin();
    if (waiting.noise && this.turns % noiseEveryTurns === 0) this.noiseRuns.begin();
    this.turns++;
  }
}
