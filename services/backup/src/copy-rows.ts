import { AppError } from "@web-tester/contracts/errors";
import type { Client } from "pg";
import { from, to } from "pg-copy-streams";
import { isReferredTo } from "@web-tester/records/contents/content-references";
import { forgetStoredTotals, markAllFound, markAllLost } from "@web-tester/records/contents/stored-contents";
import { damagedBackup, type Manifest, type StoredFile } from "./backup-folder.js";
import type { Copied } from "./copy-objects.js";
import { readRowFile, writeRowFile } from "./row-files.js";
import { join } from "node:path";

/** This table is filled by migrating, not by restoring. */
const migrationTable = "migration";

/** This table says which installation a database is: a restored one is another, until it takes over the bucket. */
const identityTable = "installation";

/** This table is kept by triggers and filled by a migration: it has rows even in an empty product. */
const keptByTriggers = "stored_total";

interface Table {
  name: string;
  columns: string[];
}

/** What the dump holds of a database, all from one snapshot. */
export type DumpedRows = Pick<Manifest, "migrations" | "tables" | "objects">;

/*
 * A content that a row needs is listed even if it is noted as lost: the note may be outdated, and the backup may hold the only copy. The
 * bases of these contents are listed as well. A content that is neither stored nor needed is just being written.
 */
const listedContents = `(
  WITH RECURSIVE listed AS (
    SELECT hash, base_hash, stored FROM content c WHERE stored OR ${isReferredTo("c")}
    UNION
    SELECT b.hash, b.base_hash, b.stored FROM content b JOIN listed l ON b.hash = l.base_hash
  )
  SELECT encode(hash, 'hex'), encode(base_hash, 'hex'), stored FROM listed ORDER BY hash)`;

/** Returns the names of the migrations that a database has, in their order; empty if it has no tables. */
export async function appliedMigrations(client: Client): Promise<string[]> {
  const there = await client.query(`SELECT to_regclass($1) IS NOT NULL AS there`, [migrationTable]);
  if (there.rows[0]?.there !== true) return [];
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${migrationTable} ORDER BY id`);
  return rows.map(({ name }) => name);
}

/** Returns the product's tables with the columns that are written (not the generated ones). */
async function tablesOf(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT c.relname::text AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> ALL ($1)
       AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     GROUP BY c.relname ORDER BY c.relname`,
    [[migrationTable, identityTable]],
  );
  return rows;
}

/**
 * Writes all rows into files, as a snapshot of one moment however long it takes. Ends its transaction; the session stays open.
 * @param folder an empty folder
 */
export async function dumpRows(client: Client, folder: string, signal: AbortSignal): Promise<DumpedRows> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  const copy = async (what: string, file: string): Promise<StoredFile & { rows: number }> => {
    signal.throwIfAborted();
    const ready = untilReady(client);
    const rows = client.query(to(`COPY ${what} TO STDOUT`));
    const written = await writeRowFile(rows, folder, file);
    await ready;
    return { ...written, rows: rows.rowCount };
  };
  const migrations = await appliedMigrations(client);
  const tables: Manifest["tables"] = [];
  for (const { name, columns } of await tablesOf(client))
    tables.push({ name, columns, ...(await copy(`${quote(name)} (${columns.map(quote).join(", ")})`, `${name}.zst`)) });
  const { rows: count, ...objects } = await copy(listedContents, "objects.zst");
  await client.query("COMMIT");
  return { migrations, tables, objects: { ...objects, count } };
}

/** Returns which installation a database is; null if it has no such table yet. */
export async function installationId(client: Client): Promise<string | null> {
  const there = await client.query(`SELECT to_regclass($1) IS NOT NULL AS there`, [identityTable]);
  if (there.rows[0]?.there !== true) return null;
  const { rows } = await client.query<{ id: string }>(`SELECT id FROM ${identityTable}`);
  return rows[0]?.id ?? null;
}

/** Returns the names of the tables that have rows. */
export async function filledTables(client: Client): Promise<string[]> {
  const filled: string[] = [];
  for (const { name } of await tablesOf(client)) {
    if (name === keptByTriggers) continue;
    const { rowCount } = await client.query(`SELECT FROM ${quote(name)} LIMIT 1`);
    if (rowCount !== 0) filled.push(name);
  }
  return filled;
}

/** Returns the name of the backup that a database was restored from, null if there is none. */
export async function restoredName(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ name: string | null }>(
    `SELECT obj_description(to_regclass($1), 'pg_class') AS name`,
    [migrationTable],
  );
  return rows[0]?.name ?? null;
}

/**
 * Fills empty tables of the same schema in one transaction: all of the rows or none.
 * @param loaded `name`: what `restoredName` returns from then on. `objects`: what copying found, so that the rows say which bytes are there
 * @throws AppError conflict if tables are not empty or not those of the backup, content_damaged
 */
export async function loadRows(
  client: Client,
  { folder, manifest, name, objects }: { folder: string; manifest: Manifest; name: string; objects: Copied },
): Promise<void> {
  await client.query("BEGIN");
  try {
    const present = await tablesOf(client);
    requireSameTables(present, manifest.tables);
    await client.query(`LOCK TABLE ${present.map((table) => quote(table.name)).join(", ")} IN ACCESS EXCLUSIVE MODE`);
    await requireEmpty(client);
    // the rows that triggers would write are in the backup
    for (const table of present) await client.query(`ALTER TABLE ${quote(table.name)} DISABLE TRIGGER USER`);
    if (present.some((table) => table.name === keptByTriggers)) await client.query(forgetStoredTotals);
    const parentsOf = await readParents(client);
    for (const { name: table, columns, file, rows } of parentsFirst(manifest.tables, parentsOf)) {
      const ready = untilReady(client);
      const target = client.query(from(`COPY ${quote(table)} (${columns.map(quote).join(", ")}) FROM STDIN`));
      await readRowFile(join(folder, manifest.rows), file, target);
      await ready;
      if (target.rowCount !== rows)
        throw damagedBackup(folder, `${file} has ${target.rowCount} rows where ${rows} were written`);
    }
    // deferred constraints are checked now: while checks are pending, no table can be altered
    await client.query("SET CONSTRAINTS ALL IMMEDIATE");
    for (const table of present) await client.query(`ALTER TABLE ${quote(table.name)} ENABLE TRIGGER USER`);
    await settleStored(client, objects);
    await client.query(`COMMENT ON TABLE ${migrationTable} IS '${name.replaceAll("'", "''")}'`);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Marks contents as lost or stored according to what was copied. The triggers, enabled again, update the sums. */
async function settleStored(client: Client, { lost, found }: Copied): Promise<void> {
  await client.query(markAllLost, [lost]);
  await client.query(markAllFound, [found.map(({ hash }) => hash), found.map(({ sizeInTarget }) => sizeInTarget)]);
}

/** @throws AppError conflict naming tables with rows */
export async function requireEmpty(client: Client): Promise<void> {
  const filled = await filledTables(client);
  if (filled.length > 0)
    throw new AppError(
      "conflict",
      `The database is not empty (${filled.slice(0, 3).join(", ")}${filled.length > 3 ? " …" : ""}): a backup is restored into a product that has nothing yet. Name an empty database, or another DATA_DIR.`,
    );
}

function requireSameTables(present: readonly Table[], wanted: readonly Table[]): void {
  const shape = (tables: readonly Table[]) =>
    tables.map((table) => `${table.name}(${table.columns.toSorted().join(",")})`).toSorted();
  const [there, needed] = [shape(present), shape(wanted)];
  const odd = there.filter((table) => !needed.includes(table)).concat(needed.filter((table) => !there.includes(table)));
  if (odd.length > 0)
    throw new AppError(
      "conflict",
      `The tables of the database are not those of the backup (${odd[0]}): name an empty database of the product's own.`,
    );
}

async function readParents(client: Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ child: string; parents: string[] }>(
    `SELECT c.relname::text AS child, array_agg(DISTINCT p.relname::text) AS parents
     FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid
     WHERE f.contype = 'f' AND c.relnamespace = current_schema()::regnamespace AND c.oid <> p.oid GROUP BY 1`,
  );
  return new Map(rows.map(({ child, parents }) => [child, parents]));
}

/** Sorts tables so that no row refers to one of a later table; rows of one table may refer to one another. */
function parentsFirst<T extends { name: string }>(tables: readonly T[], parentsOf: Map<string, string[]>): T[] {
  const ordered: T[] = [];
  const waiting = new Set(tables);
  while (waiting.size > 0) {
    const free = [...waiting].filter(
      ({ name }) => !(parentsOf.get(name) ?? []).some((parent) => [...waiting].some((other) => other.name === parent)),
    );
    if (free.length === 0) throw new AppError("internal", "Tables refer to one another in a circle.");
    for (const table of free) waiting.delete(table);
    ordered.push(...free);
  }
  return ordered;
}

/**
 * Waits until the connection can take the next statement: the stream of COPY ends before that. Call it before the COPY; if the stream
 * fails, do not await it.
 */
function untilReady(client: Client): Promise<void> {
  return new Promise((resolve) => client.once("drain", resolve));
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
