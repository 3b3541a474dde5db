// @ts-check

/** The columns that differ between a row and its copy; all others are copied. @type {Record<string, Record<string, string>>} */
const own = {
  run: {
    id: "uuidv7()",
    changed: "0",
    bytes: "0",
    created_at: "now()",
    queued_at: "now()",
    finished_at: "now()",
    look_at: "NULL",
    look_of: "NULL",
  },
  test_snapshot: {
    id: "c.id",
    run_id: "$2::uuid",
    number: "s.number + 1",
    queued_at: "now()",
    created_at: "now()",
    fetched_at: "now()",
  },
};

/**
 * Inserts further fetches of an object by SQL, each as if nothing had changed since the last one.
 * @param {import("pg").Client} database
 * @param {string} objectId
 * @param {string} runId the last fetch
 * @param {number} times
 */
export async function repeatFetch(database, objectId, runId, times) {
  const columns = { run: await columnsOf(database, "run"), test_snapshot: await columnsOf(database, "test_snapshot") };
  await database.query("SET statement_timeout = 0");
  let last = runId;
  for (let time = 0; time < times; time += 1) {
    const { rows } = await database.query(
      `INSERT INTO run (${columns.run.join(", ")}) SELECT ${taken("run", columns.run, "r")} FROM run r WHERE id = $1 RETURNING id`,
      [last],
    );
    await database.query("DROP TABLE IF EXISTS copied");
    await database.query(
      "CREATE TEMP TABLE copied AS SELECT s.id AS old, uuidv7() AS id, s.test_instance_id FROM test_snapshot s WHERE s.run_id = $1",
      [last],
    );
    await database.query("ANALYZE copied");
    await database.query(
      `INSERT INTO test_snapshot (${columns.test_snapshot.join(", ")})
       SELECT ${taken("test_snapshot", columns.test_snapshot, "s")} FROM copied c JOIN test_snapshot s ON s.id = c.old WHERE s.run_id = $1`,
      [last, rows[0].id],
    );
    await database.query(
      `INSERT INTO change (snapshot_id, previous_id, state, kind, significant, queued_at)
       SELECT id, old, 'done', 'unchanged', false, now() FROM copied`,
    );
    await database.query(
      `UPDATE test_instance i SET last_snapshot_id = c.id, last_number = last_number + 1, snapshots_total = snapshots_total + 1, status = 'unchanged',
              last_snapshot_at = now(), lines_added = 0, lines_removed = 0 FROM copied c WHERE i.id = c.test_instance_id`,
    );
    await database.query(
      "UPDATE object_total SET snapshots = snapshots + (SELECT count(*) FROM copied), changed = 0 WHERE test_object_id = $1",
      [objectId],
    );
    last = rows[0].id;
  }
  await database.query("VACUUM (ANALYZE) test_snapshot, change, test_instance");
}

/** @param {keyof typeof own} table @param {readonly string[]} columns @param {string} from */
function taken(table, columns, from) {
  return columns.map((name) => own[table]?.[name] ?? `${from}.${name}`).join(", ");
}

/** @param {import("pg").Client} database @param {string} table @returns {Promise<string[]>} */
async function columnsOf(database, table) {
  const { rows } = await database.query(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'",
    [table],
  );
  return rows.map(({ name }) => name);
}
