import { byProduct } from "@web-tester/records/runs/start-run";
import { type BeforeApplicationShutdown, Inject, Injectable } from "@nestjs/common";
import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { type OnDemand, onDemand } from "@web-tester/platform/lifecycle/every";
import type { Logger } from "@web-tester/platform/log/logger";
import { markNoiseTried, type NoiseDue, takeNoiseDue } from "@web-tester/records/objects/noise-due";
import { BUS, DB, LOG } from "../parts.js";
import { announceNoise, type BegunNoise, beginNoise } from "./start-noise.js";

/** Only objects are taken of which nothing went on for this long, so that nobody who works with an object finds it busy. */
const quietSeconds = 600;

/** Begins the automatic search for noise, once per object, after its first fetch of all pages. */
@Injectable()
export class NoiseRuns implements BeforeApplicationShutdown {
  private readonly repeating: OnDemand;

  constructor(@Inject(DB) db: Database, @Inject(BUS) bus: Bus, @Inject(LOG) log: Logger) {
    this.repeating = onDemand(
      () => beginNext(db, bus, log),
      (error) => log.error({ err: error }, "looking for noise could not be begun"),
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

async function beginNext(db: Database, bus: Bus, log: Logger): Promise<void> {
  const begun = await db.transaction(async (tx) => {
    const due = await takeNoiseDue(tx, quietSeconds);
    return due === null ? null : begin(tx, due);
  });
  // should the message get lost, the search for lost messages sends it
  if (begun !== null) await announceNoise(bus, log, begun);
}

/** Begins a search. Whether or not it can begin, it is not tried again automatically: people can then ask for one. */
async function begin(tx: Queryable, { objectId, apply, fetch }: NoiseDue): Promise<BegunNoise | null> {
  await markNoiseTried(tx, objectId);
  try {
    return await beginNoise(tx, objectId, { apply, fetch, by: byProduct });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return null;
  }
}
