import { type AuditEntry, auditEntry } from "@web-tester/contracts/entities/access";
import type { Queryable } from "@web-tester/platform/database/database";
import { isClockSure } from "../installation/sure-clock.js";

/** What is known of a call before it is carried out. */
export interface AskedChange {
  actor: string;
  actorKind: AuditEntry["actor_kind"];
  actorId: string | null;
  role: string | null;
  address: string;
  action: string;
  subjectKind: string | null;
  /** The id in the call's address; null when it has none. */
  subjectId: string | null;
}

/* SQL of the test object that an id belongs to, by the kind of thing that the id names */
const owners: Readonly<Record<string, string>> = {
  "test object": `$8::uuid`,
  instance: `(SELECT test_object_id FROM test_instance WHERE id = $8::uuid)`,
  snapshot: `(SELECT i.test_object_id FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE s.id = $8::uuid)`,
  run: `(SELECT test_object_id FROM run WHERE id = $8::uuid)`,
  rule: `(SELECT test_object_id FROM ignore_rule WHERE id = $8::uuid)`,
  schedule: `(SELECT test_object_id FROM schedule WHERE id = $8::uuid)`,
  "share link": `(SELECT test_object_id FROM share_link WHERE id = $8::uuid)`,
};

/** Records that a change was requested. @returns the entry's id */
export async function insertAudit(db: Queryable, asked: AskedChange): Promise<string> {
  const owner = owners[asked.subjectKind ?? ""] ?? `NULL::uuid`;
  const [row] = await db.query<{ id: string }>(
    `INSERT INTO audit_entry (actor, actor_kind, actor_id, role, address, action, subject_kind, subject_id, test_object_id, object_name)
     SELECT $1, $2, $3::uuid, $4, $5, $6, $7, $8::uuid, o.owner, t.name FROM (SELECT ${owner} AS owner) o LEFT JOIN test_object t ON t.id = o.owner RETURNING id`,
    [
      asked.actor,
      asked.actorKind,
      asked.actorId,
      asked.role,
      asked.address,
      asked.action,
      asked.subjectKind,
      asked.subjectId,
    ],
  );
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return row.id;
}

/** How a call ended. `madeId`: what it created or started; if that is a test object, the entry is about it. */
export interface EndedChange {
  status: number;
  code: string | null;
  madeId: string | null;
  fields: readonly string[];
  /** Who signed in with the call, if it was a sign-in. */
  signedIn: { name: string; kind: AuditEntry["actor_kind"]; role: string } | null;
}

export async function endAudit(
  db: Queryable,
  id: string,
  { status, code, madeId, fields, signedIn }: EndedChange,
): Promise<void> {
  await db.query(
    `UPDATE audit_entry a SET status = $2, code = $3, made_id = $4, fields = $5,
       actor = coalesce($6, a.actor), actor_kind = coalesce($7, a.actor_kind), role = coalesce($8, a.role),
       test_object_id = coalesce(a.test_object_id, o.id), object_name = coalesce(a.object_name, o.name)
     FROM (SELECT 1) one LEFT JOIN test_object o ON o.id = $4::uuid WHERE a.id = $1`,
    [id, status, code, madeId, fields, signedIn?.name ?? null, signedIn?.kind ?? null, signedIn?.role ?? null],
  );
}

/** Conditions on the listed entries. */
export interface AuditFilter {
  q?: string | undefined;
  actor?: string | undefined;
  actor_kind?: AuditEntry["actor_kind"] | undefined;
  action?: string | undefined;
  outcome?: AuditEntry["outcome"] | undefined;
  testobject_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const outcome = `CASE WHEN status IS NULL THEN 'unknown' WHEN status < 400 THEN 'done' WHEN status IN (401, 403) THEN 'refused' ELSE 'failed' END`;

/** SQL: whether a text has another in it, in any case. Names in old entries may be decomposed, as they were typed. */
const holds = (text: string, sought: string) =>
  `(position(lower(${sought}) IN lower(${text})) > 0 OR
    ${sought} IS NOT NFD NORMALIZED AND position(lower(normalize(${sought}, NFD)) IN lower(${text})) > 0)`;

/** Lists entries, newest first. @param cursor id of the last entry of the previous part */
export async function selectAudit(
  db: Queryable,
  {
    q = "",
    actor = "",
    actor_kind: actorKind,
    action,
    outcome: wanted,
    testobject_id: objectId,
    from,
    to,
  }: AuditFilter,
  cursor: string | null,
  limit: number,
): Promise<AuditEntry[]> {
  const rows = await db.query<Omit<AuditEntry, "at"> & { at: Date }>(
    `SELECT id, created_at AS at, actor, actor_kind, role, address, action, subject_kind, subject_id, test_object_id AS testobject_id, object_name, made_id,
       fields, ${outcome} AS outcome, status, code
     FROM audit_entry
     WHERE ($1::uuid IS NULL OR id < $1) AND ($2::text IS NULL OR action = $2) AND ($3::text IS NULL OR ${outcome} = $3)
       AND ($4::uuid IS NULL OR test_object_id = $4) AND ($5::timestamptz IS NULL OR created_at >= $5) AND ($6::timestamptz IS NULL OR created_at <= $6)
       AND ($7 = '' OR ${holds("concat_ws(' ', actor, action, object_name, address, subject_id, test_object_id, made_id, code, subject_kind)", "$7")})
       AND ($9 = '' OR ${holds("actor", "$9")}) AND ($10::text IS NULL OR actor_kind = $10)
     ORDER BY id DESC LIMIT $8`,
    [
      ...[cursor, action ?? null, wanted ?? null, objectId ?? null, from ?? null, to ?? null, q.trim(), limit],
      ...[actor.trim(), actorKind ?? null],
    ],
  );
  return rows.map((row) => auditEntry.parse({ ...row, at: row.at.toISOString() }));
}

/** Forgets entries after so many days by the database's clock, a thousand at a time. @returns how many */
export async function forgetAudit(db: Queryable, days: number): Promise<number> {
  const rows = await db.query(
    `DELETE FROM audit_entry WHERE id IN (SELECT id FROM audit_entry WHERE created_at < now() - $1::int * interval '1 day' AND ${isClockSure} ORDER BY created_at LIMIT 1000) RETURNING 1`,
    [days],
  );
  return rows.length;
}
