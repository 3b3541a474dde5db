import { jobWords } from "@web-tester/contracts/job-lines";
import { assertNever } from "@web-tester/contracts/assert-never";
import type { Run } from "@web-tester/contracts/entities/run";
import { type RunKind, runKind } from "@web-tester/contracts/entities/vocabulary";
import { AppError } from "@web-tester/contracts/errors";
import type { ProductEvent } from "@web-tester/contracts/socket";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import {
  crawlProgress,
  fetchProgress,
  rulesProgress,
  sitemapsProgress,
  type RunProgress,
} from "@web-tester/records/runs/run-progress";
import { notFound } from "../http/not-found.js";
import { cancelCrawl, cancelFetch, cancelRest } from "@web-tester/records/runs/cancel-run";
import { isDeletion, runWords } from "./conflict.js";
import { selectRun } from "../snapshots/run-row.js";

/**
 * Stops a crawl or a fetch; stopping it twice has no further effect.
 * @throws AppError not_found, conflict where the run is a deletion or was finished already
 */
export async function cancelRun(db: Database, bus: Bus, id: string): Promise<Run> {
  const event = await db.transaction(async (tx) => {
    const run = await selectRun(tx, id);
    if (run === null) throw notFound("run", id);
    if (isDeletion(run.kind))
      throw new AppError("conflict", `${runWords[run.kind]} cannot be stopped: a deletion always runs to its end.`);
    if (run.state === "cancelled") return null;
    const stopped = run.state === "running" ? await stopRun(tx, id, run.kind) : null;
    // another person may have stopped it between the two
    if (stopped === null && (await selectRun(tx, id))?.state === "cancelled") return null;
    if (stopped === null)
      throw new AppError("conflict", `${runWords[run.kind]} has already finished, so there is nothing to stop.`);
    return stopped;
  });
  if (event !== null) {
    bus.publishEvent(event);
    bus.logLine(id, "info", jobWords("stopped", {}));
  }
  const run = await selectRun(db, id);
  if (run === null) throw notFound("run", id);
  return run;
}

/**
 * Stops all crawls and fetches of an object.
 * @returns events to publish after the commit
 */
export async function stopAllOf(tx: Queryable, objectId: string): Promise<ProductEvent[]> {
  const rows = await tx.query<{ id: string; kind: string }>(
    // crawls first, or there could be a deadlock: stopping a fetch locks pages, which a crawler that holds the lock on its crawl's run may
    // wait for
    `SELECT id, kind FROM run WHERE test_object_id = $1 AND state = 'running' ORDER BY kind IN ('crawl', 'sitemaps') DESC, id`,
    [objectId],
  );
  const events: ProductEvent[] = [];
  for (const row of rows) {
    const kind = runKind.parse(row.kind);
    const event = isDeletion(kind) ? null : await stopRun(tx, row.id, kind);
    if (event !== null) events.push(event);
  }
  return events;
}

/**
 * Stops one run.
 * @returns the event for browsers, or null where the run was finished meanwhile
 */
async function stopRun(tx: Queryable, id: string, kind: RunKind): Promise<ProductEvent | null> {
  switch (kind) {
    case "crawl":
      return told(await cancelCrawl(tx, id), (run) => crawlProgress(run, null));
    case "snapshot-all":
    case "snapshot-one":
    case "look":
      return told(await cancelFetch(tx, id), fetchProgress);
    case "sitemaps":
      return told(await cancelCrawl(tx, id), sitemapsProgress);
    case "rules":
    case "noise":
    case "compare":
      return told(await cancelRest(tx, id), rulesProgress);
    case "delete-instances":
    case "delete-snapshots":
    case "delete-object":
      throw new Error("a deletion is not stopped");
    default:
      return assertNever(kind);
  }
}

function told(run: RunProgress | null, event: (run: RunProgress) => ProductEvent): ProductEvent | null {
  return run === null ? null : event(run);
}
