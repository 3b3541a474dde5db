// @ts-check
/** Compares snapshots in one table with partitions by week: the cost of a fetch, a page's history, a run, retention and its VACUUM. */
import { parseArgs } from "node:util";
import { watchProcesses } from "../lib/processes.mjs";
import { markdownTable, median } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";

const usage = `npm run bench -- partitions [--pages 100000] [--fetches 20] [--runs 3]

Makes two tables with the columns and indexes of test_snapshot, one of them partitioned by the week of its ids, fills both with --fetches weekly fetches of --pages pages, and
does the same in both, one after the other in every round: CPU seconds of PostgreSQL, and milliseconds. Nothing is held against an aim: what it says is weighed in
docs/decisions/026-one-table-of-snapshots.md.`;
const questions = 500;

/** @typedef {import("../lib/stack.mjs").Product} Product */
/** @typedef {"plain" | "weekly"} Table */
const tables = /** @type {const} */ (["plain", "weekly"]);

async function main() {
  const { values } = parseArgs({
    options: {
      pages: { type: "string", default: "100000" },
      fetches: { type: "string", default: "20" },
      runs: { type: "string", default: "3" },
      help: { type: "boolean", default: false },
    },
  });
  const [pages, fetches, runs] = [Number(values.pages), Number(values.fetches), Number(values.runs)];
  if (values.help || !(pages >= 100 && fetches >= 4 && runs >= 1)) {
    console.log(usage);
    return values.help;
  }
  await withProduct({ signal: benchSignal(3600_000), log: console.log }, async (product) => {
    await product.database.query("SET statement_timeout = 0");
    const rows = [];
    const filled = [];
    await makeTables(product, fetches);
    for (const table of tables) filled.push(await measured(product, () => fill(product, table, pages, 0, fetches - 1)));
    rows.push(["rows of all fetches but the last", ...filled.map(inWords)]);
    for (const table of tables) await product.database.query(`VACUUM (ANALYZE) ${table}`);
    rows.push(["size, indexes included", ...(await sizesOf(product))]);
    for (const [name, work] of worksOf(product, pages, fetches)) {
      const took = tables.map(() => /** @type {Took[]} */ ([]));
      for (let run = 0; run < runs; run += 1)
        for (const [at, table] of tables.entries()) took[at]?.push(await measured(product, () => work(table)));
      rows.push([name, ...took.map((list) => inWords(medianOf(list)))]);
      console.log(rows.at(-1)?.join(" | "));
    }
    const ends = [];
    for (const table of tables) ends.push(await retain(product, table, pages, fetches));
    for (const [at, name] of ["retention: all but five snapshots of each page", "VACUUM after it"].entries())
      rows.push([name, ...ends.map((each) => inWords(each[at] ?? { cpu: Number.NaN, ms: Number.NaN }))]);
    console.log(`\n${markdownTable(["", "one table", "a partition each week"], rows)}\n`);
  });
  return true;
}

/** @param {Product} product @param {number} weeks */
async function makeTables({ database }, weeks) {
  await database.query("CREATE TABLE plain (LIKE test_snapshot INCLUDING ALL)");
  await database.query("CREATE TABLE weekly (LIKE test_snapshot INCLUDING DEFAULTS) PARTITION BY RANGE (id)");
  // unique indexes of the single table cannot be unique over partitions: there they are ordinary indexes
  const { rows } = await database.query(
    "SELECT pg_get_indexdef(indexrelid) AS made FROM pg_index WHERE indrelid = 'plain'::regclass AND NOT indisprimary",
  );
  await database.query("ALTER TABLE weekly ADD PRIMARY KEY (id)");
  for (const [at, { made }] of rows.entries())
    await database.query(
      made.replace(/INDEX \S+ ON public\.plain/, `INDEX weekly_by_${at} ON weekly`).replace("UNIQUE ", ""),
    );
  for (let week = 0; week < weeks; week += 1)
    await database.query(
      `CREATE TABLE weekly_${week} PARTITION OF weekly FOR VALUES FROM ('${await boundary(database, week - weeks)}') TO ('${await boundary(database, week + 1 - weeks)}')`,
    );
  await database.query("CREATE TABLE page AS SELECT uuidv7() AS id, n FROM generate_series(1, 1000000) AS n");
  await database.query(`CREATE TABLE fetched AS SELECT uuidv7() AS id, n FROM generate_series(0, ${weeks}) AS n`);
  await database.query("ALTER TABLE page ADD PRIMARY KEY (n)");
  await database.query("ANALYZE page, fetched");
}

/** Returns the first id of a week, counted from now. @param {import("pg").Client} database @param {number} week @returns {Promise<string>} */
async function boundary(database, week) {
  const { rows } = await database.query("SELECT uuidv7($1::interval)::text AS id", [`${week * 7} days`]);
  return `${rows[0].id.slice(0, 13)}-0000-0000-000000000000`;
}

/**
 * Writes the rows of fetches, a thousand pages at once: each fetch in its week, 5 % of the pages with another content than before.
 * @param {Product} product @param {Table} table @param {number} pages @param {number} from @param {number} to
 */
async function fill({ database }, table, pages, from, to) {
  const { rows } = await database.query("SELECT max(n) AS last FROM fetched");
  for (let at = from; at < to; at += 1)
    for (let page = 1; page <= pages; page += 1_000)
      await database.query(
        `INSERT INTO ${table} (id, test_instance_id, run_id, number, state, content_hash, charset, http_status, final_url, fetched_at, duration_ms)
         SELECT uuidv7(make_interval(days => -7 * ($3::int - $2::int) + 1)), p.id, f.id, $2 + 1, 'done',
                sha256(concat(p.n, ' ', CASE WHEN p.n % 20 = $2 % 20 THEN $2 ELSE 0 END)::bytea), 'utf-8', 200, 'https://site.example/' || p.n, now(), 12
           FROM page p, fetched f WHERE f.n = $2 AND p.n BETWEEN $1 AND $4`,
        [page, at, Number(rows[0].last), Math.min(page + 999, pages)],
      );
}

/**
 * Returns the operations that are repeated, and leave the tables as they were.
 * @param {Product} product @param {number} pages @param {number} fetches
 * @returns {[string, (table: Table) => Promise<unknown>][]}
 */
function worksOf(product, pages, fetches) {
  const { database } = product;
  /** @param {(table: Table) => string} sql */
  const each = (sql) => async (/** @type {Table} */ table) => {
    for (let turn = 0; turn < questions; turn += 1) await database.query(sql(table), [(turn * 7919) % pages]);
  };
  const last = fetches - 1;
  return [
    [
      `a fetch: ${pages} rows, taken back`,
      async (table) => {
        await database.query("BEGIN");
        await fill(product, table, pages, last, fetches);
        await database.query("ROLLBACK");
      },
    ],
    [
      `${questions} × the snapshots of a page`,
      each(
        (table) =>
          `SELECT s.id, s.number FROM page p JOIN ${table} s ON s.test_instance_id = p.id WHERE p.n = $1 + 1 ORDER BY s.id DESC LIMIT 100`,
      ),
    ],
    [
      `${questions} × a snapshot by its id`,
      each(
        (table) =>
          `SELECT * FROM ${table} WHERE id = (SELECT id FROM ${table} s WHERE s.test_instance_id = (SELECT id FROM page WHERE n = $1 + 1) ORDER BY id LIMIT 1)`,
      ),
    ],
    [
      `${questions} × whether another snapshot has a content`,
      each((table) => `SELECT EXISTS (SELECT FROM ${table} WHERE content_hash = sha256(concat($1 + 1, ' 0')::bytea))`),
    ],
    [
      "all snapshots of a run, in batches",
      async (table) => {
        for (let page = 0; page < pages; page += 10_000)
          await database.query(
            `SELECT count(*) FROM ${table} s JOIN page p ON p.id = s.test_instance_id
              WHERE s.run_id = (SELECT id FROM fetched WHERE n = 1) AND p.n BETWEEN $1 AND $1 + 9999`,
            [page + 1],
          );
      },
    ],
  ];
}

/**
 * Deletes old snapshots and vacuums. Retention goes by page, so every partition keeps some snapshots (labelled, accepted),
 * and none can be dropped as a whole.
 * @param {Product} product
 * @param {Table} table
 * @param {number} pages
 * @param {number} fetches
 */
async function retain(product, table, pages, fetches) {
  const { database } = product;
  const deleting = await measured(product, async () => {
    for (let page = 1; page <= pages; page += 1_000)
      await database.query(
        `DELETE FROM ${table} WHERE id IN (
           SELECT s.id FROM ${table} s JOIN page p ON p.id = s.test_instance_id
            WHERE p.n BETWEEN $1 AND $1 + 999 AND s.number <= $2 AND s.number > 1)`,
        [page, fetches - 5],
      );
  });
  return [deleting, await measured(product, () => database.query(`VACUUM ${table}`))];
}

/** @param {Product} product @returns {Promise<string[]>} */
async function sizesOf({ database }) {
  const sizes = [];
  for (const table of tables) {
    const { rows } = await database.query(
      "SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class WHERE relkind = 'r' AND relname ~ ('^' || $1 || '(_[0-9]+)?$')",
      [table],
    );
    sizes.push(`${(rows[0].bytes / 1e6).toFixed(0)} MB`);
  }
  return sizes;
}

/** @typedef {{ cpu: number, ms: number }} Took */

/** @param {Product} product @param {() => Promise<unknown>} work @returns {Promise<Took>} CPU seconds of PostgreSQL */
async function measured({ parts }, work) {
  const watch = watchProcesses(() => parts().filter(({ name }) => name === "postgres"));
  const startedAt = performance.now();
  try {
    await work();
    return { ms: performance.now() - startedAt, cpu: watch.stop()[0]?.cpuSeconds ?? Number.NaN };
  } finally {
    watch.stop();
  }
}

/** @param {readonly Took[]} list @returns {Took} */
function medianOf(list) {
  return { cpu: median(list.map(({ cpu }) => cpu)), ms: median(list.map(({ ms }) => ms)) };
}

/** @param {Took} took */
function inWords({ cpu, ms }) {
  return `${cpu.toFixed(2)} CPU s, ${ms.toFixed(0)} ms`;
}

const passed = await main().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.stack : error);
  return false;
});
process.exit(passed ? 0 : 1);
