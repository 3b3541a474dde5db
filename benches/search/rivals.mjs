// @ts-check
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const textsPerStatement = 200;

/**
 * Loads the same texts into two tables: `plain` for sequential scans, `trigram` with an index of pg_trgm.
 * @param {import("pg").Client} database
 * @param {readonly import("./pages.mjs").Page[]} pages
 * @returns {Promise<{ bytes: number, trigramBytes: number }>}
 */
export async function loadRivals(database, pages) {
  await database.query(`CREATE EXTENSION IF NOT EXISTS pg_trgm`);
  await database.query(`CREATE UNLOGGED TABLE plain (hash bytea PRIMARY KEY, text text NOT NULL)`);
  for (let start = 0; start < pages.length; start += textsPerStatement) {
    const part = pages.slice(start, start + textsPerStatement);
    const texts = await Promise.all(part.map(({ file }) => readFile(file, "utf8")));
    await database.query(`INSERT INTO plain SELECT * FROM unnest($1::bytea[], $2::text[])`, [
      part.map(({ hash }) => hash),
      texts,
    ]);
  }
  await database.query(`SET statement_timeout = 0`);
  await database.query(`SET maintenance_work_mem = '512MB'`);
  await database.query(`SET max_parallel_workers_per_gather = 0`);
  await database.query(`CREATE UNLOGGED TABLE trigram AS TABLE plain`);
  await database.query(`CREATE INDEX trigram_text ON trigram USING gin (text gin_trgm_ops)`);
  await database.query(`VACUUM ANALYZE plain, trigram`);
  const {
    rows: [sizes],
  } = await database.query(
    `SELECT pg_total_relation_size('plain')::float8 AS bytes, pg_relation_size('trigram_text')::float8 AS "trigramBytes"`,
  );
  return sizes;
}

/**
 * @param {import("pg").Client} database
 * @param {"plain" | "trigram"} table
 * @param {string} phrase
 */
export async function askPostgres(database, table, phrase) {
  const pattern = `%${phrase.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const { rows } = await database.query(`SELECT count(*)::int AS n FROM ${table} WHERE text ILIKE $1`, [pattern]);
  return rows[0].n;
}

/** Whether ripgrep is installed. */
export async function hasRipgrep() {
  return run("rg", ["--version"]).then(
    () => true,
    () => false,
  );
}

/**
 * Returns ripgrep's count of matches in each content, and the CPU seconds that it took.
 * @param {string} folder
 * @param {string} phrase
 * @returns {Promise<{ counts: Map<string, number>, cpuSeconds: number }>} by hash in hex
 */
export async function askRipgrep(folder, phrase) {
  const { stdout, stderr } = await run(
    "bash",
    [
      "-c",
      'TIMEFORMAT="%U %S"; cd "$1" && time rg -j1 --no-config --no-ignore --text -i -F --count-matches -e "$2" . || true',
      "bash",
      folder,
      phrase,
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const [user = 0, system = 0] = stderr.trim().split("\n").at(-1)?.split(" ").map(Number) ?? [];
  const counts = new Map(
    stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const at = line.lastIndexOf(":");
        return /** @type {[string, number]} */ ([line.slice(2, at), Number(line.slice(at + 1))]);
      }),
  );
  return { counts, cpuSeconds: user + system };
}
