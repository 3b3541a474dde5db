import { type BeforeApplicationShutdown, Inject, Injectable } from "@nestjs/common";
import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { type OnDemand, onDemand } from "@web-tester/platform/lifecycle/every";
import type { Logger } from "@web-tester/platform/log/logger";
import { selectLookPages } from "@web-tester/records/lifecycle/want-look";
import { beginLook, endLook, postponeLook, takeWantedLook, type WantedLook } from "@web-tester/records/runs/look-run";
import { byProduct, insertRun } from "@web-tester/records/runs/start-run";
import { queueNamedInstances } from "@web-tester/records/snapshots/queue-all";
import { BUS, DB, type GatewayOptions, LOG, OPTIONS } from "../parts.js";
import { publishRows } from "./start-snapshot-all.js";
import { lockForStart, type StartParts } from "./start-run.js";

const looksPerTurn = 20;
/** The seconds after which a look is tried again where another run was in the way. */
const postponedS = 5;

/** Fetches pages of runs again before anybody is notified: missed ones, and, where the object is set so, those that changed or failed. */
@Injectable()
export class LookRuns implements BeforeApplicationShutdown {
  private readonly repeating: OnDemand;

  constructor(
    @Inject(DB) db: Database,
    @Inject(BUS) bus: Bus,
    @Inject(LOG) log: Logger,
    @Inject(OPTIONS) { hostConcurrency }: GatewayOptions,
  ) {
    const parts = { db, bus, log, hostConcurrency };
    this.repeating = onDemand(
      async (signal) => {
        for (let looks = 0; looks < looksPerTurn && !signal.aborted; looks++) if (!(await beginNext(parts))) break;
      },
      (error) => log.error({ err: error }, "looking at pages again could not be begun"),
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

/**
 * Begins the next look.
 * @returns false where none is wanted now
 */
async function beginNext(parts: StartParts): Promise<boolean> {
  const begun = await parts.db.transaction(async (tx) => {
    const wanted = await takeWantedLook(tx);
    return wanted === null ? null : { runId: await begin(tx, wanted) };
  });
  if (begun === null) return false;
  // should this gateway end before the messages are sent, the search for lost messages finds the committed rows
  if (begun.runId !== null) await publishRows(parts, begun.runId);
  return true;
}

/**
 * Begins the run of a look.
 * @returns id of the run; null where nothing is left to look at, or another run is in the way
 */
async function begin(tx: Queryable, wanted: WantedLook): Promise<string | null> {
  try {
    await lockForStart(tx, wanted.objectId, "look");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await postponeLook(tx, wanted.id, postponedS);
    return null;
  }
  const pages = await selectLookPages(tx, wanted);
  if (pages.length === 0) {
    await endLook(tx, wanted.id);
    return null;
  }
  const runId = await insertRun(tx, wanted.objectId, "look", 0, { by: byProduct });
  await queueNamedInstances(tx, wanted.objectId, runId, new URL(wanted.objectUrl).host, pages);
  await beginLook(tx, wanted.id, runId);
  return runId;
}
