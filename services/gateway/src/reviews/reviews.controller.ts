import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { ChangeGroup, ReviewPage, SaidVerdict } from "@web-tester/contracts/entities/review";
import type { Run, UnreviewedRun } from "@web-tester/contracts/entities/run";
import { AppError } from "@web-tester/contracts/errors";
import { limits } from "@web-tester/contracts/limits";
import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { leaveOutPage, selectChangedPair } from "@web-tester/records/comparisons/leave-out-page";
import { toldKind } from "@web-tester/signal/compare/fingerprint";
import { giveVerdict, takeVerdictBack, timeOfGiving, type VerdictTarget } from "@web-tester/records/reviews/verdicts";
import { countSettled, settleRun } from "@web-tester/records/runs/settle-run";
import { type Actor, By } from "../http/actor.js";
import { askQuestion } from "../http/ask-question.js";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { invalidInput } from "../http/parse-input.js";
import { BUS, DB } from "../parts.js";
import { selectRun } from "../snapshots/run-row.js";
import {
  selectComparedBeside,
  selectComparedCounts,
  selectComparedGroups,
  selectComparedPages,
  selectComparison,
} from "./select-comparison.sql.js";
import {
  type GroupRow,
  type ReviewPageRow,
  selectBaseline,
  selectBeside,
  selectCounts,
  selectGroups,
  selectOtherwise,
  selectPages,
} from "./select-review.sql.js";

/** Answers what a run found, and takes verdicts on it. */
@Controller()
export class ReviewsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  @Handles("getReview")
  async review(@Parsed() { params, query }: Input<"getReview">): Promise<Response<"getReview">> {
    const run = await requireReviewed(this.db, params.id);
    const compared = await selectComparison(this.db, run.id);
    const of = [this.db, run.id] as const;
    const groupsFrom = (asked: { limit: number; offset: number }) =>
      compared === null
        ? selectGroups(...of, run.testobject_id, asked)
        : selectComparedGroups(...of, run.testobject_id, asked);
    const [found, beside, groups, [object], settled] = await Promise.all([
      compared === null ? selectCounts(...of) : selectComparedCounts(...of, compared.same),
      compared === null ? selectBeside(...of) : selectComparedBeside(...of),
      groupsFrom(query),
      this.db.query<{ id: string; name: string }>(`SELECT id, name FROM test_object WHERE id = $1`, [
        run.testobject_id,
      ]),
      countSettled(...of),
    ]);
    // a page behind the last group has no rows that could tell the total, so the first group is asked
    const [sample] = groups.length > 0 || query.offset === 0 ? groups : await groupsFrom({ limit: 1, offset: 0 });
    const pagesOf = (kind: string) => found.kinds.find((each) => each.kind === kind)?.pages ?? 0;
    const counts = {
      ...{ failed: pagesOf("failed"), new: pagesOf("new"), gone: pagesOf("gone"), changed: pagesOf("changed") },
      ...{ ignored: pagesOf("ignored"), unchanged: pagesOf("unchanged"), pending: pagesOf("pending") },
    };
    const looked = counts.changed + (compared === null ? 0 : counts.new + counts.gone);
    return {
      run,
      testobject: object ?? { id: run.testobject_id, name: "" },
      compared: compared === null ? null : { from: compared.from, to: compared.to },
      counts,
      new_failures: found.newFailures,
      with_files: found.kinds.find(({ kind }) => kind === "changed")?.files ?? 0,
      waiting: Math.max(0, looked - settled),
      ...beside,
      groups: groups.map(toGroup),
      groups_total: sample?.total ?? 0,
    };
  }

  @Handles("listReviewPages")
  async pages(@Parsed() { params, query }: Input<"listReviewPages">): Promise<Response<"listReviewPages">> {
    const run = await requireReviewed(this.db, params.id);
    const { kind = null, fingerprint = null, q = null, cursor = null, limit } = query;
    const select = run.kind === "compare" ? selectComparedPages : selectPages;
    const hash = fingerprint === null ? null : Buffer.from(fingerprint, "hex");
    const without = query.otherwise === "true" ? hash : null;
    const fingerprints =
      hash === null
        ? null
        : without === null
          ? [hash]
          : await selectOtherwise(this.db, run.testobject_id, run.id, hash);
    const rows = await select(this.db, run.id, { kind, fingerprints, without, q }, cursor, limit + 1);
    const shown = rows.slice(0, limit);
    return { items: shown.map(toPage), nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
  }

  @Handles("leaveOutAlike")
  async leaveOut(@Parsed() { params, body }: Input<"leaveOutAlike">): Promise<Response<"leaveOutAlike">> {
    const run = await requireReviewed(this.db, params.id);
    if (run.state === "running")
      throw new AppError("conflict", "This comparison is still running. Pages are looked at when it has ended.");
    const pair = await selectChangedPair(this.db, run.id, body.instance_id);
    if (pair === undefined) throw notFound("changed page of this comparison", body.instance_id);
    const { oneId: a, otherId: b } = pair;
    const threshold = limits.defaultPictureThreshold;
    const pictures =
      a === null || b === null ? null : await askQuestion(this.bus, questions.pictures, { a, b, threshold });
    const isAlike = pictures?.state === "compared" && pictures.differing === 0;
    return this.db.transaction(async (tx) => {
      await lockRun(tx, run.id);
      if (isAlike) await leaveOutPage(tx, run.id, body.instance_id);
      return { ...toLeft(await settleRun(tx, run.id)), left_out: isAlike };
    });
  }

  @Handles("giveVerdict")
  async give(
    @Parsed() { params, body }: Input<"giveVerdict">,
    @By() { name: author }: Actor,
  ): Promise<Response<"giveVerdict">> {
    const run = await requireReviewed(this.db, params.id);
    const { verdict, note } = body;
    const of = targetOf(body);
    return this.db.transaction(async (tx) => {
      await lockRun(tx, run.id);
      const given = await giveVerdict(tx, run.id, of, { verdict, note, author });
      if (given === 0 && of !== "all") throw notFound("change of this run", Object.values(of).join(""));
      const left = toLeft(await settleRun(tx, run.id));
      return { ...left, given_at: await timeOfGiving(tx) };
    });
  }

  @Handles("takeVerdictBack")
  async takeBack(@Parsed() { params, body }: Input<"takeVerdictBack">): Promise<Response<"takeVerdictBack">> {
    const run = await requireReviewed(this.db, params.id);
    const of = targetOf(body);
    return this.db.transaction(async (tx) => {
      await lockRun(tx, run.id);
      await takeVerdictBack(tx, run.id, of, body.given_at ?? null);
      return toLeft(await settleRun(tx, run.id));
    });
  }

  @Handles("getBaseline")
  async baseline(@Parsed() { params }: Input<"getBaseline">): Promise<Response<"getBaseline">> {
    const [page] = await this.db.query(`SELECT 1 FROM test_instance WHERE id = $1`, [params.id]);
    if (page === undefined) throw notFound("test instance", params.id);
    return { snapshot_id: await selectBaseline(this.db, params.id) };
  }
}

/**
 * Finds a run that can be reviewed.
 * @throws AppError not_found, also for a run that neither fetched nor compared
 */
async function requireReviewed(db: Queryable, id: string): Promise<Run> {
  const run = await selectRun(db, id);
  if (run === null) throw notFound("fetch run", id);
  if (run.kind.startsWith("snapshot-") || run.kind === "compare") return run;
  const details: UnreviewedRun = { runId: id, kind: run.kind, testobject_id: run.testobject_id };
  const message = `The run “${id}” (${run.kind}) has no review: it neither fetched nor compared. GET /api/runs/{id} says what it did.`;
  throw new AppError("not_found", message, { details });
}

/** Locks the run, so that two verdicts at the same time follow one another and what is settled is counted with both. */
async function lockRun(tx: Queryable, id: string): Promise<void> {
  await tx.query(`SELECT 1 FROM run WHERE id = $1 FOR NO KEY UPDATE`, [id]);
}

/**
 * Reads what a verdict is about.
 * @throws AppError invalid_input
 */
function targetOf(body: Input<"takeVerdictBack">["body"]): VerdictTarget {
  const { fingerprint, instance_id: instanceId, all } = body;
  const named = [fingerprint, instanceId, all].filter((each) => each !== undefined).length;
  if (named !== 1)
    throw invalidInput([{ path: "body", message: "name exactly one of fingerprint, instance_id and all" }]);
  if (fingerprint !== undefined) return { fingerprint };
  return instanceId === undefined ? "all" : { instanceId };
}

const toLeft = ({ changed, settled }: { changed: number; settled: number }) => ({
  changed,
  waiting: Math.max(0, changed - settled),
});

const toSaid = (said: SaidVerdict | null): SaidVerdict | null =>
  said === null ? null : { ...said, at: new Date(said.at).toISOString() };

function toGroup({
  instanceId: id,
  name,
  url,
  sample,
  comparedWith,
  total: _total,
  said,
  ...row
}: GroupRow): ChangeGroup {
  return {
    ...row,
    kind: toldKind(row.fingerprint, row.kind),
    said: toSaid(said),
    sample: { instance: { id, name, url }, snapshot_id: sample, compared_with: comparedWith },
  };
}

function toPage(row: ReviewPageRow): ReviewPage {
  const { kind, changes, ignored, error } = row;
  return {
    instance: { id: row.instanceId, name: row.name, url: row.url },
    ...{ kind, changes, ignored, error },
    snapshot_id: row.snapshotId,
    compared_with: row.comparedWith,
    lines_added: row.added,
    lines_removed: row.removed,
    files_changed: row.files,
    facts: row.facts ?? [],
    http_status: row.status,
    failing_since: row.since?.toISOString() ?? null,
    said: toSaid(row.said),
  };
}
