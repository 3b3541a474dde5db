// @ts-check

/**
 * A snapshot as stored in the database, with the page's path relative to the site.
 * @typedef {object} SnapshotRow
 * @property {string} id
 * @property {string} page
 * @property {string} instanceId
 * @property {string} state
 * @property {number | null} httpStatus
 * @property {string | null} error
 * @property {string | null} hash hexadecimal SHA-256 of the stored HTML
 * @property {string | null} change kind of the change
 * @property {string | null} previousId the snapshot it was compared with
 * @property {number} linesAdded
 * @property {number} linesRemoved
 */

/**
 * @param {import("pg").Client} database
 * @param {string} runId
 * @param {string} siteUrl
 * @returns {Promise<SnapshotRow[]>} in the order of the pages
 */
export async function snapshotsOfRun(database, runId, siteUrl) {
  const { rows } = await database.query(
    `SELECT s.id, s.test_instance_id AS "instanceId", i.url, s.state, s.http_status AS "httpStatus", s.error, encode(s.content_hash, 'hex') AS hash,
            c.kind AS change, c.previous_id AS "previousId", coalesce(c.lines_added, 0) AS "linesAdded", coalesce(c.lines_removed, 0) AS "linesRemoved"
       FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id LEFT JOIN change c ON c.snapshot_id = s.id
      WHERE s.run_id = $1 ORDER BY i.url`,
    [runId],
  );
  return rows.map(({ url, ...row }) => ({ ...row, page: url.startsWith(siteUrl) ? url.slice(siteUrl.length) : url }));
}

/**
 * Counts the (run, instance) pairs that have more than one snapshot, over all runs.
 * @param {import("pg").Client} database
 * @returns {Promise<number>}
 */
export async function doubledSnapshots(database) {
  const { rows } = await database.query(
    "SELECT count(*) AS pairs FROM (SELECT 1 FROM test_snapshot GROUP BY run_id, test_instance_id HAVING count(*) > 1) doubled",
  );
  return Number(rows[0].pairs);
}

/**
 * Returns the runs whose counters do not match their rows.
 * @param {import("pg").Client} database
 * @returns {Promise<string[]>} one message per run
 */
export async function wrongCounters(database) {
  const { rows } = await database.query(
    `SELECT r.kind, r.total, r.completed, r.failed, counted.total AS rows, counted.completed AS finished, counted.failed AS failures
       FROM run r, LATERAL (SELECT count(*)::int AS total, count(*) FILTER (WHERE state IN ('done', 'failed', 'cancelled'))::int AS completed, count(*) FILTER (WHERE state = 'failed')::int AS failed
                              FROM (SELECT state FROM test_snapshot WHERE run_id = r.id UNION ALL SELECT state FROM crawl_page WHERE run_id = r.id) of_run) counted
      WHERE r.kind IN ('crawl', 'snapshot-all') AND (r.total, r.completed, r.failed) IS DISTINCT FROM (counted.total, counted.completed, counted.failed)`,
  );
  return rows.map(
    (row) =>
      `${row.kind}: ${row.completed} (${row.failed} failed) of ${row.total}, rows say ${row.finished} (${row.failures}) of ${row.rows}`,
  );
}
