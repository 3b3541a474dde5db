import { jobWords } from "@web-tester/contracts/job-lines";
import type { ComparedSide, ComparisonInput } from "@web-tester/contracts/entities/comparison";
import type { Queryable } from "@web-tester/platform/database/database";
import { type Bound, boundOf, startComparison } from "@web-tester/records/comparisons/start-comparison";
import { runOfLabel } from "@web-tester/records/runs/label-run";
import { insertRun, type Starter } from "@web-tester/records/runs/start-run";
import { announce } from "../http/announce.js";
import { notFound } from "../http/not-found.js";
import { requireObject } from "../http/require-object.js";
import { invalidInput } from "../http/parse-input.js";
import { lockForStart, type StartParts } from "./start-run.js";

/**
 * Starts comparing all pages of an object at two times.
 * @returns the run, and how many pages are in either state
 * @throws AppError not_found, also for a run of another object; invalid_input where a side makes no sense; conflict while it is being
 * deleted
 */
export async function startSiteComparison(
  { db, bus, log }: Pick<StartParts, "db" | "bus" | "log">,
  objectId: string,
  { from, to, only }: ComparisonInput,
  by: Starter,
): Promise<{ runId: string; total: number }> {
  if (from.type === "object" && to.type !== "latest")
    throw invalidInput([{ path: "body.to", message: "is the latest state where two test objects are compared" }]);
  if (to.type === "previous" || to.type === "baseline" || to.type === "object")
    throw invalidInput([{ path: "body.to", message: "is a fetch, a label, a time, or the latest state" }]);
  const begun = await db.transaction(async (tx) => {
    const { name } = await lockForStart(tx, objectId, "compare");
    // the newer fetch may carry the same label as the older side names: without this exception it would be compared with itself
    const newer = to.type === "run" ? to.run_id : null;
    const bounds = [await requireBound(tx, objectId, from, newer), await requireBound(tx, objectId, to)] as const;
    const runId = await insertRun(tx, objectId, "compare", 0, { by });
    const { total, queued } = await startComparison(tx, objectId, runId, { from, to, bounds, only });
    return { runId, total, queued, name };
  });
  const { runId, total, queued, name } = begun;
  bus.logLine(runId, "info", jobWords("comparing", { name, queued, total }));
  if (queued > 0) await announce(bus, log, [{ name: "compare", body: { runId }, dedupeId: `${runId}:0` }]);
  return { runId, total };
}

async function requireBound(
  tx: Queryable,
  objectId: string,
  given: ComparedSide,
  except: string | null = null,
): Promise<Bound> {
  const side = given.type === "label" ? await requireLabelled(tx, objectId, given.label, except) : given;
  if (side.type === "run") {
    const [run] = await tx.query(
      `SELECT 1 FROM run WHERE id = $1 AND test_object_id = $2 AND kind IN ('snapshot-all', 'snapshot-one')`,
      [side.run_id, objectId],
    );
    if (run === undefined) throw notFound("fetch run of this test object", side.run_id);
  }
  if (side.type === "object") {
    if (side.testobject_id === objectId)
      throw invalidInput([{ path: "body.from", message: "is this test object itself; name another one" }]);
    await requireObject(tx, side.testobject_id);
  }
  const bound = await boundOf(tx, side);
  if (bound === null) throw invalidInput([{ path: "body", message: "names a fetch of which no snapshot is kept" }]);
  return bound;
}

/**
 * Finds the fetch that a label names.
 * @throws AppError not_found
 */
async function requireLabelled(
  tx: Queryable,
  objectId: string,
  label: string,
  except: string | null,
): Promise<ComparedSide> {
  const runId = await runOfLabel(tx, objectId, label, except);
  if (runId === null) throw notFound(`${except === null ? "" : "other "}finished fetch with the label “${label}”`);
  return { type: "run", run_id: runId };
}
