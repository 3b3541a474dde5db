import { type BeforeApplicationShutdown, Inject, Injectable } from "@nestjs/common";
import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { type OnDemand, onDemand } from "@web-tester/platform/lifecycle/every";
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

/** The seconds after which a deletion is tried again where another one was in the way. */
const postponedS = 5;

interface Parts {
  db: Database;
  bus: Bus;
  log: Logger;
}

/** Carries out deletions that can no longer be undone, on any gateway, as long as it runs. */
@Injectable()
export class DueRemovals implements BeforeApplicationShutdown {
  private readonly repeating: OnDemand;

  constructor(@Inject(DB) db: Database, @Inject(BUS) bus: Bus, @Inject(LOG) log: Logger) {
    this.repeating = onDemand(
      (signal) => carryOutDue({ db, bus, log }, signal),
      (error) => log.error({ err: error }, "carrying out a deletion failed"),
    );
  }

  /** Starts a turn, unless one is under way. */
  begin(): void {
    this.repeating.begin();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.repeating.stop();
  }
}

/** Carries out the deletions that are due, one after the other. */
async function carryOutDue(parts: Parts, signal: AbortSignal): Promise<void> {
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
