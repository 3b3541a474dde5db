import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { appliedRule, meaningOfRule, type Rule, type RuleSpec } from "@web-tester/contracts/entities/rule";
import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import {
  deleteRule,
  insertRule,
  lockRule,
  type RuleRow,
  rulesInForce,
  selectRules,
  updateRule,
} from "@web-tester/records/rules/ignore-rules";
import { newestFetch } from "@web-tester/records/runs/newest-fetch";
import { type EvaluationStart, lockRules, startEvaluation } from "@web-tester/records/runs/evaluation-run";
import { compileRule, specOf } from "@web-tester/signal/rules/compile-rule";
import { pathOf } from "@web-tester/signal/rules/rule-set";
import { AppError } from "@web-tester/contracts/errors";
import { findFetched } from "../snapshots/find-snapshot.js";
import { firstIdAt } from "../snapshots/first-id.js";
import { alreadyThere } from "../http/already-there.js";
import { askQuestion } from "../http/ask-question.js";
import { type Actor, By } from "../http/actor.js";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { requireObject } from "../http/require-object.js";
import { BUS, DB, LOG } from "../parts.js";
import { announce } from "../http/announce.js";
import { selectChangeTotals } from "./select-totals.sql.js";

const previewDays = 30;
/** With more rules for one object each comparison would become slow. */
const rulesMax = 500;

/** Manages the rules that say what does not count as a change. */
@Controller()
export class RulesController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Handles("listRules")
  async list(@Parsed() { params }: Input<"listRules">): Promise<Response<"listRules">> {
    await requireObject(this.db, params.id);
    return { items: (await selectRules(this.db, params.id)).map(toRule) };
  }

  @Handles("createRule")
  async create(
    @Parsed() { params, body }: Input<"createRule">,
    @By() { name: author }: Actor,
  ): Promise<Response<"createRule">> {
    await requireObject(this.db, params.id);
    const { path, note, enabled, scope } = body;
    const spec = checked(body, path);
    const objectId = scope === "all" ? null : params.id;
    const [row, started] = await this.db.transaction(async (tx) => {
      await lockRules(tx);
      const known = await selectRules(tx, params.id);
      if (known.length >= rulesMax)
        throw new AppError("conflict", `This test object has ${rulesMax} rules already. Remove some first.`);
      requireNew(known, { objectId, spec, path });
      const made = await insertRule(tx, {
        objectId,
        spec,
        path,
        note,
        enabled,
        state: "active",
        author,
        evidence: null,
      });
      return [made, enabled ? await startEvaluation(tx, objectId) : []] as const;
    });
    return { ...toRule(row), runId: await this.announce(started, params.id) };
  }

  @Handles("previewRule")
  async preview(@Parsed() { params, body }: Input<"previewRule">): Promise<Response<"previewRule">> {
    await requireObject(this.db, params.id);
    const { path, note, rule_id: replaces = null, cursor = null } = body;
    const rule = appliedRule.parse({ ...checked(body, path), id: replaces ?? "preview", path, note });
    const since = new Date(Date.now() - previewDays * 24 * 3_600_000);
    const first = firstIdAt(since);
    const lastRun = await newestFetch(this.db, params.id);
    const [part, totals] = await Promise.all([
      askQuestion(this.bus, questions.previewRule, {
        objectId: params.id,
        rule,
        replaces,
        before: cursor,
        since: first,
      }),
      selectChangeTotals(this.db, params.id, first, lastRun),
    ]);
    return {
      ...part,
      total: totals.total,
      since: since.toISOString(),
      last_run_id: lastRun,
      last_run_changes: totals.ofLastRun,
    };
  }

  @Handles("suggestRules")
  async suggest(@Parsed() { params, body }: Input<"suggestRules">): Promise<Response<"suggestRules">> {
    await requireObject(this.db, params.id);
    const [a, b] = await Promise.all([
      findFetched(this.db, { by: "snapshot", snapshotId: body.a, instanceId: null }),
      findFetched(this.db, { by: "snapshot", snapshotId: body.b, instanceId: null }),
    ]);
    const rules = (await rulesInForce(this.db, [params.id])).get(params.id) ?? [];
    const side = ({ hash, charset }: typeof a) => ({ sha256: hash, charset: charset ?? "utf-8" });
    const at = await this.placeOf(body, b.id);
    const found = await askQuestion(this.bus, questions.suggestRules, {
      ...{ a: side(a), b: side(b), at },
      path: pathOf(b.instance_url),
      rules,
    });
    return { items: found.rules };
  }

  /** The place to ignore: a line, or the elements in a region of the picture. */
  private async placeOf({ as, side, line, region }: Input<"suggestRules">["body"], snapshotId: string) {
    if (line !== undefined && region === undefined) return { as, side, line };
    if (region === undefined || line !== undefined)
      throw new AppError("invalid_input", "Name a line, or a region of the picture (`line`, `region`), and not both.");
    const found = await askQuestion(this.bus, questions.elementsAt, { snapshotId, region });
    if ("problem" in found) throw new AppError("unavailable", found.problem);
    return { elements: found.elements };
  }

  @Handles("updateRule")
  async update(@Parsed() { params, body }: Input<"updateRule">): Promise<Response<"updateRule">> {
    const [row, started] = await this.db.transaction(async (tx) => {
      await lockRules(tx);
      const old = await requireRule(tx, params.id);
      const { path = old.path, note = old.note, enabled = old.enabled, state = old.state } = body;
      const spec = checked({ ...old.spec, ...defined(body) }, path);
      const isOther = meaningOfRule(spec, path) !== meaningOfRule(specOf(old.spec), old.path);
      if (state === "active" && (isOther || old.state !== "active"))
        requireNew(await othersOf(tx, old), { objectId: old.test_object_id, spec, path });
      const changed = await updateRule(tx, params.id, { spec, path, note, enabled, state });
      return [
        changed,
        meaningOf(changed) === meaningOf(old) ? [] : await startEvaluation(tx, old.test_object_id),
      ] as const;
    });
    return { ...toRule(row), runId: await this.announce(started, row.test_object_id) };
  }

  @Handles("deleteRule")
  async remove(@Parsed() { params }: Input<"deleteRule">): Promise<Response<"deleteRule">> {
    const [row, started] = await this.db.transaction(async (tx) => {
      const old = await requireRule(tx, params.id);
      await deleteRule(tx, params.id);
      return [old, isInForce(old) ? await startEvaluation(tx, old.test_object_id) : []] as const;
    });
    return { runId: await this.announce(started, row.test_object_id) };
  }

  /**
   * Announces the runs that evaluate rules again.
   * @returns the id of the run of the given object, or of the first run where a rule holds for all objects
   */
  private async announce(started: readonly EvaluationStart[], objectId: string | null): Promise<string | null> {
    await announce(
      this.bus,
      this.log,
      started.map(({ id, generation }) => ({ name: "evaluate", body: { runId: id }, dedupeId: `${id}:${generation}` })),
    );
    return (started.find((run) => run.test_object_id === objectId) ?? started[0])?.id ?? null;
  }
}

async function requireRule(tx: Queryable, id: string): Promise<RuleRow> {
  const row = await lockRule(tx, id);
  if (row === null) throw notFound("rule", id);
  return row;
}

/** The other rules that hold where a rule does. */
const othersOf = async (tx: Queryable, { id, test_object_id: objectId }: RuleRow): Promise<RuleRow[]> =>
  (await selectRules(tx, objectId)).filter((row) => row.id !== id);

/**
 * Checks that no rule of the same scope ignores the same on the same pages; proposed and rejected ones do not count.
 * @throws AppError conflict
 */
function requireNew(
  known: readonly RuleRow[],
  { objectId, spec, path }: { objectId: string | null; spec: RuleSpec; path: string },
): void {
  const meaning = meaningOfRule(spec, path);
  const same = known.filter(
    (row) =>
      row.state === "active" &&
      row.test_object_id === objectId &&
      meaningOfRule(specOf(row.spec), row.path) === meaning,
  );
  if (same.length > 0) throw alreadyThere(same.some(isInForce) ? "rule_exists" : "rule_exists_off");
}

/**
 * Checks that a rule can be evaluated.
 * @throws AppError invalid_input with words for whoever wrote the rule
 */
function checked(spec: RuleSpec, path: string): RuleSpec {
  compileRule({ ...spec, id: "checked", path, note: "" });
  return specOf(spec);
}

function defined(body: Input<"updateRule">["body"]): Partial<RuleSpec> {
  const fields = Object.entries(body).filter(([name, value]) => name in specFields && value !== undefined);
  return Object.fromEntries(fields);
}

const specFields: Readonly<Record<keyof RuleSpec, true>> = {
  ...{
    kind: true,
    selector: true,
    name: true,
    parameter: true,
    pattern: true,
    syntax: true,
    before: true,
    after: true,
  },
};

const isInForce = (row: RuleRow): boolean => row.enabled && row.state === "active";

/** The effect of a rule on pages as a comparable text; empty while it is not in force. */
const meaningOf = (row: RuleRow): string => (isInForce(row) ? JSON.stringify([specOf(row.spec), row.path]) : "");

export function toRule({
  spec,
  test_object_id: objectId,
  created_at: created,
  updated_at: updated,
  ...row
}: RuleRow): Rule {
  return {
    ...specOf(spec),
    ...row,
    testobject_id: objectId,
    created_at: created.toISOString(),
    updated_at: updated.toISOString(),
  };
}
