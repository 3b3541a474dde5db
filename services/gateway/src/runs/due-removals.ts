import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from "@nestjs/common";
import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { every, type Repeating } from "@web-tester/platform/lifecycle/every";
import type { Logger } from "@web-tester/platform/log/logger";
import {
  type DueRemoval,
  nextDueRemoval,
  postponeRemoval,
  removeNextInstances,
} from "@web-tester/records/removals/due-removals";
import { fetchProgress } from "@web-tester/records/runs/run-progress";
import { BUS, DB, LOG } from "../parts.js";
import { startDeletion } from "./start-deletion.js";

const everyMs = 1_000;
/** After so long it is tried again where another deletion was in the way. */
const postponedS = 5;

interface Parts {
  db: Database;
  bus: Bus;
  log: Logger;
}

/** Carries deletions out whose time to be undone is over, on any gateway, as long as it runs. */
@Injectable()
export class DueRemovals implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private repeating: Repeating | null = null;

  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { db, bus, log } = this;
    this.repeating = every(
      everyMs,
      (signal) => carryOutDue({ db, bus, log }, signal),
      (error) => log.error({ err: error }, "carrying out a deletion failed"),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.repeating?.stop();
  }
}

/** Carries out what is due, one after the other. */
export async function carryOutDue(parts: Parts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const due = await nextDueRemoval(parts.db);
    if (due === null) return;
    await (due.kind === "instances" ? removeInstances(parts, due, signal) : beginDeletion(parts, due, due.kind));
  }
}

async function removeInstances({ db, bus }: Parts, due: DueRemoval, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { runs, over } = await db.transaction((tx) => removeNextInstances(tx, due));
    for (const run of runs) bus.publishEvent(fetchProgress(run));
    if (over) return;
  }
}

async function beginDeletion(
  { db, bus, log }: Parts,
  { id, objectId }: DueRemoval,
  kind: Exclude<DueRemoval["kind"], "instances">,
): Promise<void> {
  try {
    await startDeletion(db, bus, log, objectId, kind, id);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await postponeRemoval(db, id, postponedS);
  }
}
