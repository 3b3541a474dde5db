import {
  type AppliedRule,
  appliedRule,
  type RuleEvidence,
  type RuleSpec,
  type RuleState,
} from "@web-tester/contracts/entities/rule";
import type { Queryable } from "@web-tester/platform/database/database";
import { sharedRead } from "@web-tester/platform/database/statement";

/** A rule as it is stored. */
export interface RuleRow {
  id: string;
  test_object_id: string | null;
  spec: RuleSpec;
  path: string;
  note: string;
  enabled: boolean;
  state: RuleState;
  author: string;
  evidence: RuleEvidence | null;
  created_at: Date;
  updated_at: Date;
}

const columns = "id, test_object_id, spec, path, note, enabled, state, author, evidence, created_at, updated_at";

const ofObject = sharedRead(`
  SELECT ${columns} FROM ignore_rule WHERE test_object_id = $1 OR test_object_id IS NULL ORDER BY id`);

/** All rules of an object, and those that apply to all objects, in the order of their creation. */
export function selectRules(db: Queryable, objectId: string | null): Promise<RuleRow[]> {
  return db.query<RuleRow>(ofObject, [objectId]);
}

const inForce = sharedRead(`
  SELECT o.id AS object_id, r.id, r.spec, r.path, r.note
  FROM unnest($1::uuid[]) AS o (id) JOIN ignore_rule r ON r.test_object_id = o.id OR r.test_object_id IS NULL
  WHERE r.enabled AND r.state = 'active' ORDER BY r.id`);

/** Returns the rules in force by object; objects without rules are absent. */
export async function rulesInForce(db: Queryable, objectIds: readonly string[]): Promise<Map<string, AppliedRule[]>> {
  const rows = await db.query<{ object_id: string; id: string; spec: RuleSpec; path: string; note: string }>(inForce, [
    [...new Set(objectIds)],
  ]);
  const found = new Map<string, AppliedRule[]>();
  for (const { object_id: objectId, spec, ...row } of rows) {
    const rules = found.get(objectId) ?? [];
    rules.push(appliedRule.parse({ ...spec, ...row }));
    found.set(objectId, rules);
  }
  return found;
}

export interface NewRule {
  objectId: string | null;
  spec: RuleSpec;
  path: string;
  note: string;
  enabled: boolean;
  state: RuleState;
  author: string;
  evidence: RuleEvidence | null;
}

export async function insertRule(tx: Queryable, rule: NewRule): Promise<RuleRow> {
  const [row] = await tx.query<RuleRow>(
    `INSERT INTO ignore_rule (test_object_id, spec, path, note, enabled, state, author, evidence)
     VALUES ($1, $2::jsonb, $3, $4, $5, $6, $7, $8::jsonb) RETURNING ${columns}`,
    [
      rule.objectId,
      JSON.stringify(rule.spec),
      rule.path,
      rule.note,
      rule.enabled,
      rule.state,
      rule.author,
      rule.evidence === null ? null : JSON.stringify(rule.evidence),
    ],
  );
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return row;
}

/** Returns a rule, locked until the transaction ends; null when there is none. */
export async function lockRule(tx: Queryable, id: string): Promise<RuleRow | null> {
  const [row] = await tx.query<RuleRow>(`SELECT ${columns} FROM ignore_rule WHERE id = $1 FOR UPDATE`, [id]);
  return row ?? null;
}

export async function updateRule(
  tx: Queryable,
  id: string,
  { spec, path, note, enabled, state }: Pick<RuleRow, "spec" | "path" | "note" | "enabled" | "state">,
): Promise<RuleRow> {
  const [row] = await tx.query<RuleRow>(
    `UPDATE ignore_rule SET spec = $2::jsonb, path = $3, note = $4, enabled = $5, state = $6, updated_at = now()
     WHERE id = $1 RETURNING ${columns}`,
    [id, JSON.stringify(spec), path, note, enabled, state],
  );
  if (row === undefined) throw new Error("UPDATE … RETURNING of a locked rule gave no row");
  return row;
}

export async function deleteRule(tx: Queryable, id: string): Promise<void> {
  await tx.query(`DELETE FROM ignore_rule WHERE id = $1`, [id]);
}

const move = `
  UPDATE ignore_rule r SET path = m."to", updated_at = now() FROM unnest($2::text[], $3::text[]) AS m ("from", "to")
  WHERE r.test_object_id = $1 AND r.path = m."from"`;

/** Changes the paths of rules that apply to exactly one page. @param moves paths and queries of the pages, before and after */
export async function moveRules(
  tx: Queryable,
  objectId: string,
  moves: readonly { from: string; to: string }[],
): Promise<void> {
  const exact = moves.filter(({ from, to }) => !from.includes("*") && !to.includes("*"));
  await tx.query(move, [objectId, exact.map(({ from }) => from), exact.map(({ to }) => to)]);
}
