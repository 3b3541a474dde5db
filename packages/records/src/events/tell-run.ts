import type { Database, Queryable } from "@web-tester/platform/database/database";
import { foldEntries } from "../changes/fold-entries.js";
import { followWaiting } from "../lifecycle/follow-move.js";
import type { ContentKey } from "../lifecycle/like-pages.js";
import { settleLifecycle } from "../lifecycle/settle-lifecycle.js";
import { wantsLook } from "../lifecycle/want-look.js";
import { wantNoise } from "../objects/noise-due.js";
import { isLooking } from "../runs/look-run.js";
import { settleRhythm } from "../rhythm/change-rhythm.js";
import { markTold } from "../runs/mark-told.js";
import { crawlNotes, type RunNote } from "./crawl-notes.js";
import { type Findings, findingsOf } from "./run-findings.js";
import { metBefore } from "./met-before.js";
import { insertEvents } from "./write-events.js";

/** A run that has ended and was not reported yet. */
export interface UntoldRun {
  id: string;
  kind: string;
  objectId: string;
  objectName: string;
  objectUrl: string;
  finishedAt: Date;
  total: number;
  failed: number;
  /** How many times pages of the run were looked at again. */
  stage: number;
}

/** The findings of a run on all pages, and what is unusual about it. */
export interface FoundOfRun {
  all: Findings;
  notes: RunNote[];
}

/** All pages, each failure from the first on. */
const unfiltered = { path: "", text: "", failures: 1 } as const;

/* A run is reported when each of its changes is compared and its second looks have ended. Cancelled runs are not reported. */
const isReady = (run: string) => `
  NOT ${run}.told AND ${run}.state <> 'running' AND NOT ${isLooking(run)} AND NOT EXISTS (
    SELECT 1 FROM change c WHERE c.run_id = ${run}.id AND c.state = 'queued' AND ${run}.kind = 'snapshot-all')`;

/* The oldest one. Later runs of the object that another gateway is reporting wait, since their order is kept. */
const take = `
  SELECT r.id, r.kind, r.state, r.test_object_id AS "objectId", o.name AS "objectName", o.url AS "objectUrl",
    coalesce(r.finished_at, now()) AS "finishedAt", r.total, r.failed, r.found, r.look_stage AS stage
  FROM run r JOIN test_object o ON o.id = r.test_object_id
  WHERE ${isReady("r")} AND r.test_object_id <> ALL ($1::uuid[])
    AND NOT EXISTS (SELECT 1 FROM run e WHERE e.test_object_id = r.test_object_id AND e.id < r.id AND ${isReady("e")})
  ORDER BY r.id LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`;

/** Kinds of run that are reported because they cover a whole site; a fetch of a single page by hand is seen by the person who started it. */
const toldKinds: readonly string[] = ["crawl", "sitemaps", "snapshot-all"];

/**
 * Takes one run that has ended, and writes its findings as events. The events, what `deliver` writes and the mark that the run is told are
 * one transaction, so each run is reported exactly once, even after a crash.
 * @param keyOf returns equal keys for contents of the same page
 * @param deliver writes the messages about the run
 * @param except objects whose runs are left for later
 * @returns false when no run waits
 * @throws TellingFailed when this run cannot be reported
 */
export async function tellRun(
  db: Database,
  keyOf: ContentKey,
  deliver: (tx: Queryable, run: UntoldRun, found: FoundOfRun) => Promise<void>,
  except: readonly string[] = [],
): Promise<boolean> {
  const taken: { run?: UntoldRun } = {};
  try {
    return await db.transaction(async (tx) => {
      const [run] = await tx.query<TakenRun>(take, [except]);
      if (run === undefined) return false;
      taken.run = run;
      await settle(tx, run, keyOf, deliver);
      return true;
    });
  } catch (error) {
    throw taken.run === undefined ? error : new TellingFailed(taken.run, error);
  }
}

/** A run that could not be reported; nothing of it was written. Reporting it again helps where the cause is gone. */
export class TellingFailed extends Error {
  readonly runId: string;
  readonly objectId: string;

  constructor({ id, kind, objectId }: UntoldRun, cause: unknown) {
    super(`the run ${id} (${kind}) of the test object ${objectId} could not be reported`, { cause });
    this.runId = id;
    this.objectId = objectId;
  }
}

type TakenRun = UntoldRun & { state: string; found: number };

async function settle(
  tx: Queryable,
  run: TakenRun,
  keyOf: ContentKey,
  deliver: (tx: Queryable, run: UntoldRun, found: FoundOfRun) => Promise<void>,
): Promise<void> {
  // comparisons that it queues again are awaited
  if (await followWaiting(tx, run.objectId)) return;
  if (run.kind === "snapshot-all") await foldEntries(tx, run.id);
  const isTold = run.state === "finished" && toldKinds.includes(run.kind);
  if (isTold && (await wantsLook(tx, run))) return;
  const met = isTold ? await metBefore(tx, run) : 0;
  await markTold(tx, run.id, met);
  if (!isTold) return;
  if (run.kind === "snapshot-all") await wantNoise(tx, run.objectId, run.id);
  await settleLifecycle(tx, run, keyOf);
  const notes = await (run.kind === "snapshot-all" ? settleRhythm(tx, run) : crawlNotes(tx, run, met));
  const found = { all: await findingsOf(tx, run.id, unfiltered), notes };
  await deliver(tx, run, found);
  await insertEvents(tx, run, found.all, found.notes);
}
