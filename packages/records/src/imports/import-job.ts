import {
  type ImportFault,
  importFault,
  type ImportJob,
  importState,
  type TransferCounts,
  transferCounts,
} from "@web-tester/contracts/entities/transfer";
import { limits } from "@web-tester/contracts/limits";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { z } from "zod";
import { releaseImports, requireHeld, requireReading } from "./held-content.js";

interface JobRow {
  id: string;
  name: string | null;
  state: string;
  bytes: string;
  bytes_total: string | null;
  total: number;
  completed: number;
  imported: unknown;
  existing: unknown;
  faults: unknown;
  faults_total: number;
  error: string | null;
  failures: number;
  failure: string | null;
  notes: unknown;
  created_at: Date;
  finished_at: Date | null;
}

const columns = `id, name, state, bytes, bytes_total, total, completed, imported, existing, faults, faults_total, error, failures, failure, notes, created_at, finished_at`;

function toJob({ failures, failure, ...row }: JobRow): ImportJob {
  return {
    ...row,
    error: row.error ?? (row.state === "applying" && failure !== null ? failureWords(failures, failure) : null),
    state: importState.parse(row.state),
    bytes: Number(row.bytes),
    bytes_total: row.bytes_total === null ? null : Number(row.bytes_total),
    imported: transferCounts.parse(row.imported),
    existing: transferCounts.parse(row.existing),
    faults: z.array(importFault).parse(row.faults),
    notes: z.array(z.string()).parse(row.notes),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

/** Returns the sentence that people read while an import is retried. */
export function failureWords(failures: number, failure: string): string {
  return `Writing failed ${failures === 1 ? "once" : `${failures} times`}: ${failure}. It is tried again by itself.`;
}

/** Inserts an import, and forgets old ones that the list does not show any more. */
export async function insertJob(db: Queryable, name: string | null, bytesTotal: number | null): Promise<string> {
  await db.query(
    `DELETE FROM import_job WHERE finished_at IS NOT NULL AND id IN (SELECT id FROM import_job ORDER BY id DESC OFFSET $1)`,
    [limits.importsListed - 1],
  );
  const [row] = await db.query<{ id: string }>(
    `INSERT INTO import_job (name, bytes_total) VALUES ($1, $2) RETURNING id`,
    [name, bytesTotal],
  );
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return row.id;
}

export async function selectJobs(db: Queryable): Promise<ImportJob[]> {
  const rows = await db.query<JobRow>(`SELECT ${columns} FROM import_job ORDER BY id DESC LIMIT $1`, [
    limits.importsListed,
  ]);
  return rows.map(toJob);
}

export async function selectJob(db: Queryable, id: string): Promise<ImportJob | null> {
  const [row] = await db.query<JobRow>(`SELECT ${columns} FROM import_job WHERE id = $1`, [id]);
  return row === undefined ? null : toJob(row);
}

/**
 * Moves an import from reading to applying, once the whole file has arrived, is valid, and its bytes are stored.
 * @throws AppError conflict when it was cancelled meanwhile, content_missing when bytes were lost
 */
export async function startApplying(db: Database, id: string, bytes: number): Promise<void> {
  await db.transaction(async (tx) => {
    await requireReading(tx, id);
    await requireHeld(tx, id);
    await tx.query(`UPDATE import_job SET state = 'applying', bytes = $2, queued_at = now() WHERE id = $1`, [
      id,
      bytes,
    ]);
  });
}

/**
 * Ends an open import and deletes its staged records.
 * @returns false when it had ended before
 */
export function endJob(
  db: Database,
  id: string,
  state: "failed" | "cancelled",
  error: string | null,
  faults: { first: readonly ImportFault[]; total: number } = { first: [], total: 0 },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const rows = await tx.query(
      `UPDATE import_job SET state = $2, error = $3, faults = faults || $4::jsonb, faults_total = faults_total + $5, finished_at = now()
       WHERE id = $1 AND state IN ('reading', 'applying') RETURNING 1`,
      [id, state, error?.replaceAll("\0", "").toWellFormed() ?? null, JSON.stringify(faults.first), faults.total],
    );
    if (rows.length > 0) await releaseImports(tx, [id]);
    return rows.length > 0;
  });
}

/** Locks an import, so that two workers that got the same message run one after the other; null for an import that is over. */
export async function lockJob(tx: Queryable, id: string): Promise<{ completed: number; total: number } | null> {
  const [row] = await tx.query<{ completed: number; total: number }>(
    `SELECT completed, total FROM import_job WHERE id = $1 AND state = 'applying' FOR UPDATE`,
    [id],
  );
  return row ?? null;
}

const add = (column: string, counts: string) => `
  ${column} = jsonb_build_object(
    'objects', (${column} ->> 'objects')::int + (${counts} ->> 'objects')::int,
    'instances', (${column} ->> 'instances')::int + (${counts} ->> 'instances')::int,
    'snapshots', (${column} ->> 'snapshots')::int + (${counts} ->> 'snapshots')::int)`;

const count = `
  UPDATE import_job SET completed = completed + $2, ${add("imported", "$3::jsonb")}, ${add("existing", "$4::jsonb")},
    faults = faults || $5::jsonb, faults_total = faults_total + jsonb_array_length($5::jsonb),
    notes = CASE WHEN jsonb_array_length(notes) < ${limits.importFaultsKept} THEN notes || $6::jsonb ELSE notes END,
    attempts = 0, failures = 0, failure = NULL, queued_at = now()
  WHERE id = $1`;

/** The outcome of writing one object. */
export interface AppliedObject {
  /** Number of the file's records. */
  records: number;
  imported: TransferCounts;
  existing: TransferCounts;
  faults?: readonly ImportFault[];
  /** What is left for a person to do. */
  notes?: readonly string[];
}

/** Counts an object in the transaction that wrote it. */
export async function countApplied(
  tx: Queryable,
  id: string,
  { records, imported, existing, faults = [], notes = [] }: AppliedObject,
): Promise<void> {
  await tx.query(count, [id, records, ...[imported, existing, faults, notes].map((value) => JSON.stringify(value))]);
}

/** Adds notes for a person to an import, before anything of it is written. */
export async function noteImport(db: Queryable, id: string, notes: readonly string[]): Promise<void> {
  const kept = notes.slice(0, limits.importFaultsKept).map((note) => note.replaceAll("\0", "").toWellFormed());
  if (kept.length > 0)
    await db.query(`UPDATE import_job SET notes = notes || $2::jsonb WHERE id = $1`, [id, JSON.stringify(kept)]);
}

/** Ends an import when nothing is left to write. */
export async function finishJob(tx: Queryable, id: string): Promise<void> {
  await tx.query(
    `UPDATE import_job SET state = CASE WHEN faults_total > 0 AND imported = '{"objects": 0, "instances": 0, "snapshots": 0}' THEN 'failed' ELSE 'finished' END,
       error = CASE WHEN faults_total > 0 THEN 'Some test objects could not be imported.' END, attempts = 0, failures = 0, failure = NULL, finished_at = now() WHERE id = $1`,
    [id],
  );
  await releaseImports(tx, [id]);
}
