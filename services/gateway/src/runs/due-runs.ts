import { jobWords } from "@web-tester/contracts/job-lines";
import { type BeforeApplicationShutdown, Inject, Injectable } from "@nestjs/common";
import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { databaseTime } from "@web-tester/platform/database/database-time";
import { type OnDemand, onDemand } from "@web-tester/platform/lifecycle/every";
import type { Logger } from "@web-tester/platform/log/logger";
import { type Due, type DueResult, takeDue } from "@web-tester/records/schedules/take-due";
import { dueAfter } from "@web-tester/watch/times/first-due";
import { quietUntil } from "@web-tester/watch/times/quiet-until";
import { BUS, DB, type GatewayOptions, LOG, OPTIONS } from "../parts.js";
import { announceCrawl, beginCrawl } from "./start-crawl.js";
import { announceFetch, beginFetch } from "./start-snapshot-all.js";
import { announceSitemaps, beginSitemaps } from "./start-sitemaps.js";
import type { StartParts } from "./start-run.js";
import { bySchedule } from "@web-tester/records/runs/start-run";

/** The most runs that one gateway begins in one turn, so that thousands that are due in the same minute are spread over several. */
const runsPerTurn = 25;

/** Announces that a run began; to be called after the commit. */
type Announce = (parts: StartParts) => Promise<void>;

/** Begins scheduled runs that are due, on any gateway. */
@Injectable()
export class DueRuns implements BeforeApplicationShutdown {
  private readonly repeating: OnDemand;

  constructor(
    @Inject(DB) db: Database,
    @Inject(BUS) bus: Bus,
    @Inject(LOG) log: Logger,
    @Inject(OPTIONS) { hostConcurrency }: GatewayOptions,
  ) {
    const parts = { db, bus, log, hostConcurrency };
    this.repeating = onDemand(
      (signal) => beginDueRuns(parts, signal),
      (error) => log.error({ err: error }, "beginning scheduled runs failed"),
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

/** Begins runs whose time has come, no more than a turn's. @returns how many due times ended, or were put off */
export async function beginDueRuns(parts: StartParts, signal: AbortSignal): Promise<number> {
  let turns = 0;
  while (turns < runsPerTurn && !signal.aborted && (await beginNext(parts))) turns++;
  return turns;
}

/**
 * Begins the next due run.
 * @returns false where nothing is due
 */
async function beginNext(parts: StartParts): Promise<boolean> {
  const now = await databaseTime(parts.db);
  let announce = nothing;
  let tried: Due | null = null;
  // one run makes up for all due times that passed meanwhile
  const next = ({ scheduleId, spec, dueAt }: Due) => dueAfter(scheduleId, spec, dueAt, now);
  const taken = await takeDue(parts.db, {
    now,
    next,
    // what was due before quiet hours, while nobody was there to begin it, is caught up behind them
    waits: ({ spec: { quiet } }) => (quiet === null ? null : quietUntil(quiet, now)),
    begin: async (tx, due) => {
      tried = due;
      const { announce: then, ...result } = await begin(tx, due);
      announce = then;
      return result;
    },
  }).catch(async (error: unknown) => {
    if (tried === null) throw error;
    parts.log.error({ err: error, ...tried }, "beginning a scheduled run failed");
    // a run that cannot be begun must not hold up those behind it
    const said = "It could not be started; see the gateway's log for the reason.";
    const refuse = async () => ({ outcome: "refused" as const, runId: null, said });
    return takeDue(parts.db, { now, next, only: tried.scheduleId, begin: refuse });
  });
  if (taken === null) return tried !== null;
  if (taken.result === null) return true;
  tell(parts, taken.due, taken.result);
  await announce(parts);
  return true;
}

function tell({ log, bus }: StartParts, { objectId, scheduleId }: Due, result: DueResult): void {
  log.info({ audit: "schedule", actor: "schedule", objectId, scheduleId, ...result }, "A due time ended");
  if (result.outcome !== "started") bus.logLine(objectId, "warn", jobWords("not-begun", { reason: result.said ?? "" }));
}

const nothing: Announce = async () => {};

async function begin(tx: Queryable, due: Due): Promise<DueResult & { announce: Announce }> {
  try {
    return await beginWork(tx, due);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const outcome = error.code === "conflict" ? "overlapped" : "refused";
    return { outcome, runId: null, said: error.message, announce: nothing };
  }
}

async function beginWork(
  tx: Queryable,
  { objectId, spec: { work, path } }: Due,
): Promise<DueResult & { announce: Announce }> {
  const started = (runId: string, announce: Announce) => ({ outcome: "started" as const, runId, said: "", announce });
  switch (work) {
    case "crawl": {
      const begun = await beginCrawl(tx, objectId, bySchedule);
      return started(begun.runId, (parts) => announceCrawl(parts, begun));
    }
    case "sitemaps": {
      const begun = await beginSitemaps(tx, objectId, bySchedule);
      return started(begun.runId, (parts) => announceSitemaps(parts, begun));
    }
    case "fetch":
    case "fetch-path": {
      const begun = await beginFetch(tx, objectId, { by: bySchedule, path: work === "fetch-path" ? path : null });
      if (begun !== null) return started(begun.runId, (parts) => announceFetch(parts, begun));
      const said = work === "fetch" ? "It has no pages yet." : `No page has a path like ${path}.`;
      return { outcome: "nothing-to-do", runId: null, said, announce: nothing };
    }
  }
}
