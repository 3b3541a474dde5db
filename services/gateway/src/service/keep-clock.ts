import type { Database } from "@web-tester/platform/database/database";
import { every } from "@web-tester/platform/lifecycle/every";
import type { Logger } from "@web-tester/platform/log/logger";
import { keepClock } from "@web-tester/records/installation/set-back";
import type { ClockChange } from "@web-tester/records/installation/sure-clock";
import { firstDue } from "@web-tester/watch/times/first-due";

export interface ClockOptions {
  db: Database;
  log: Logger;
  leaseMs: number;
  everyMs: number;
  onError(message: string, error: unknown): void;
}

const words: Readonly<Record<ClockChange["went"], string>> = {
  ahead:
    "The database's clock went ahead by more than a day: nothing is removed for its age for a day, so that a wrong clock can be corrected",
  back: "The database's clock was set back: leases and due times that it gave before were brought back",
};

/** Keeps the clock every `everyMs`, on any number of replicas. @returns a function that stops it */
export function startClock({ db, log, leaseMs, everyMs, onError }: ClockOptions): () => Promise<void> {
  const repeating = every(
    everyMs,
    async () => {
      const change = await keepClock(db, { leaseMs, firstDue });
      if (change !== null) log.warn({ before: change.before.toISOString() }, words[change.went]);
    },
    (error) => onError("looking at the database's clock failed", error),
  );
  return () => repeating.stop();
}
