import { limits } from "@web-tester/contracts/limits";
import type { Queryable } from "@web-tester/platform/database/database";

/* What an instance shows of its newest snapshot that counts; `status` is a value of the contract's instanceStatus. */

/** SQL: bytes of an instance's newest content, as the statement's snapshot of the database sees it. */
const newestSize = (instance: string) => `(
      SELECT b.size FROM test_snapshot d JOIN content b ON b.hash = d.content_hash
      WHERE d.test_instance_id = ${instance} AND d.state = 'done' ORDER BY d.id DESC LIMIT 1)`;

/**
 * SQL: reserves for each instance of an object the number and the id of a snapshot that is about to be created and queued.
 * @param object parameter of the statement
 * @param path parameter with a LIKE pattern over path and query of the wanted pages; null means all
 */
export const numberQueued = (object: string, path: string) => `
    UPDATE test_instance
    SET last_number = last_number + 1, snapshots_total = snapshots_total + 1, last_snapshot_id = uuidv7(), last_snapshot_at = now(), status = 'queued'
    WHERE test_object_id = ${object} AND (${path}::text IS NULL OR ${pathOf("url")} LIKE ${path}) AND removal_id IS NULL AND NOT ${isLongGone}
    RETURNING id, url, last_number, last_snapshot_id`;

/** SQL: whether a page has been gone for longer than its object includes gone pages in Fetch All. */
export const isLongGone = `(test_instance.lifecycle IS NOT DISTINCT FROM 'gone' AND test_instance.lifecycle_at < now() - make_interval(days => (
      SELECT gone_after_days FROM test_object WHERE test_object.id = test_instance.test_object_id)))`;

/** SQL: like `numberQueued` for given instances. @param ids parameter of the statement */
export const numberQueuedOf = (ids: string) => `
    UPDATE test_instance
    SET last_number = last_number + 1, snapshots_total = snapshots_total + 1, last_snapshot_id = uuidv7(), last_snapshot_at = now(), status = 'queued'
    WHERE id = ANY(${ids}::uuid[]) AND removal_id IS NULL
    RETURNING id, url, last_number, last_snapshot_id`;

/** SQL: path and query of a canonical address. */
export const pathOf = (url: string) => `substring(${url} from '^[^/]+//[^/]*(/.*)$')`;

/** SQL: reserves for an instance the number of a snapshot that is about to be created but not queued yet. @param instance parameter of the statement */
export const numberCreated = (instance: string) => `
    UPDATE test_instance SET last_number = last_number + 1, snapshots_total = snapshots_total + 1 WHERE id = ${instance} RETURNING id, last_number`;

/**
 * SQL: shows queued snapshots, unless a newer one was queued.
 * @param rows CTE with `id` of the snapshot and `test_instance_id`
 */
export const showQueued = (rows: string) => `
    UPDATE test_instance i SET status = 'queued', last_snapshot_id = m.id, last_snapshot_at = now()
    FROM ${rows} m WHERE i.id = m.test_instance_id AND (i.last_snapshot_id IS NULL OR i.last_snapshot_id < m.id)`;

/**
 * SQL: shows the results of fetches, and stores what mode `auto` learned. The size of an unchanged page is written too: an earlier version,
 * which may run beside this one during an upgrade, does not write it.
 * @param rows CTE with `id`, `test_instance_id`, `state` (done or failed), `http_status`, `error`, `content_hash`, `auto_mode`,
 * `auto_tested`, `previous_id` (if it is known to be unchanged) and `name` (null: it keeps its own)
 */
export const showFetched = (rows: string) => `
    UPDATE test_instance i
    SET status = CASE WHEN m.previous_id IS NOT NULL THEN 'unchanged' WHEN m.state = 'done' THEN 'fetched' ELSE 'failed' END, http_status = m.http_status, error = m.error, last_snapshot_at = now(),
        content_size = CASE WHEN m.content_hash IS NOT NULL THEN (SELECT size FROM content WHERE hash = m.content_hash) ELSE ${newestSize("i.id")} END,
        lines_added = 0, lines_removed = 0, name = coalesce(m.name, i.name), auto_mode = coalesce(m.auto_mode, i.auto_mode),
        auto_mode_loads = CASE WHEN m.auto_mode IS NULL THEN i.auto_mode_loads WHEN m.auto_tested THEN 0 ELSE i.auto_mode_loads + 1 END
    FROM ${rows} m WHERE i.id = m.test_instance_id AND i.last_snapshot_id = m.id`;

/** SQL: the kind that an instance shows: a change that is ignored by rules shows as unchanged. */
const shownKind = (change: string) =>
  `CASE WHEN ${change}.kind = 'changed' AND NOT ${change}.significant THEN 'unchanged' ELSE ${change}.kind END`;

/** SQL: the new title of a page, cut like names; null if the title stayed or is gone. @param facts SQL of the facts of a change */
const newTitle = (facts: string) => `(
      SELECT CASE WHEN length(t.title) > ${limits.nameMaxChars} THEN left(t.title, ${limits.nameMaxChars - 1}) || '…' ELSE nullif(t.title, '') END
      FROM (SELECT jsonb_path_query_first(${facts}, '$[*] ? (@.fact == "title").after') #>> '{}' AS title) t)`;

/**
 * SQL: shows the results of comparisons. A page whose title changed is called by the new one.
 * @param rows CTE with `snapshot_id`, `test_instance_id`, `kind`, `significant`, `lines_added` and `lines_removed`
 * @param facts SQL of the facts that changed, if they are known
 */
export const showCompared = (rows: string, facts = "NULL::jsonb") => `
    UPDATE test_instance i
    SET status = ${shownKind("p")}, lines_added = p.lines_added, lines_removed = p.lines_removed, name = coalesce(${newTitle(facts)}, i.name)
    FROM ${rows} p WHERE i.id = p.test_instance_id AND i.last_snapshot_id = p.snapshot_id`;

/** SQL: the status that a snapshot gives its instance. @param state column of the snapshot @param kind kind of its change */
const statusOf = (state: string, kind: string) => `
      CASE WHEN ${state} IN ('failed', 'running', 'queued') THEN ${state}
        WHEN ${state} = 'done' THEN CASE WHEN ${kind} IN ('changed', 'first', 'unchanged') THEN ${kind} ELSE 'fetched' END
        ELSE 'none' END`;

const newest = `
  UPDATE test_instance i
  SET status = ${statusOf("n.state", "n.kind")},
      last_snapshot_id = n.id, last_snapshot_at = n.at, http_status = n.http_status, error = n.error,
      lines_added = coalesce(n.lines_added, 0), lines_removed = coalesce(n.lines_removed, 0), content_size = ${newestSize("i.id")}
  FROM test_snapshot stopped
  LEFT JOIN LATERAL (
    SELECT s.id, s.state, s.http_status, s.error, coalesce(s.fetched_at, s.queued_at) AS at, ${shownKind("c")} AS kind, c.lines_added, c.lines_removed
    FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id
    WHERE s.test_instance_id = stopped.test_instance_id AND s.state NOT IN ('created', 'cancelled') ORDER BY s.id DESC LIMIT 1
  ) n ON true
  WHERE stopped.run_id = $1 AND stopped.state = 'cancelled' AND i.id = stopped.test_instance_id AND i.last_snapshot_id = stopped.id`;

/** Makes instances that show a snapshot of a stopped run show the newest other one that counts. */
export async function showNewest(tx: Queryable, runId: string): Promise<void> {
  await tx.query(newest, [runId]);
}

/*
 * An instance shows its newest snapshot that counts. One that was never queued, or that was stopped, does not count. If it already shows
 * that snapshot, only totals change.
 */
const imported = `
  WITH counted AS (
    SELECT test_instance_id, count(*)::int AS total, max(number) AS last_number FROM test_snapshot
    WHERE test_instance_id = ANY($1) GROUP BY 1
  ), newest AS (
    SELECT DISTINCT ON (s.test_instance_id) s.test_instance_id, s.id, s.http_status, s.error, coalesce(s.fetched_at, s.queued_at, s.created_at) AS at,
      coalesce(c.lines_added, 0) AS lines_added, coalesce(c.lines_removed, 0) AS lines_removed, s.state, ${shownKind("c")} AS kind
    FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id
    WHERE s.test_instance_id = ANY($1) AND s.state NOT IN ('created', 'cancelled') ORDER BY s.test_instance_id, s.id DESC
  ), totals AS (
    UPDATE test_instance i SET snapshots_total = c.total, last_number = greatest(i.last_number, c.last_number), content_size = ${newestSize("i.id")}
    FROM counted c LEFT JOIN newest n USING (test_instance_id)
    WHERE i.id = c.test_instance_id AND n.id IS NOT DISTINCT FROM i.last_snapshot_id
  )
  UPDATE test_instance i SET
    snapshots_total = c.total, last_number = greatest(i.last_number, c.last_number), last_snapshot_id = n.id, last_snapshot_at = n.at,
    status = ${statusOf("n.state", "n.kind")}, http_status = n.http_status, error = n.error,
    lines_added = coalesce(n.lines_added, 0), lines_removed = coalesce(n.lines_removed, 0), content_size = ${newestSize("i.id")}
  FROM counted c LEFT JOIN newest n USING (test_instance_id)
  WHERE i.id = c.test_instance_id AND n.id IS DISTINCT FROM i.last_snapshot_id`;

/** Recounts the snapshots of instances and shows the newest one that counts, after an import added some. */
export async function showImported(tx: Queryable, instanceIds: readonly string[]): Promise<void> {
  await tx.query(imported, [instanceIds]);
}

const lowerTotals = `
  UPDATE test_instance i SET snapshots_total = i.snapshots_total - g.n, content_size = ${newestSize("i.id")}
  FROM (SELECT p AS id, count(*)::int AS n FROM unnest($1::uuid[]) AS p GROUP BY p) g WHERE i.id = g.id`;

/**
 * Subtracts deleted snapshots from the totals of their instances. It must run in a separate statement after the deletion.
 * @param instanceIds the instance of each snapshot
 */
export async function countRemoved(tx: Queryable, instanceIds: readonly string[]): Promise<void> {
  await tx.query(lowerTotals, [instanceIds]);
}

/** `last_number` stays, so that a number is never given twice. */
const reset = `
  UPDATE test_instance
  SET status = 'none', snapshots_total = 0, last_snapshot_id = NULL, last_snapshot_at = NULL, http_status = NULL, error = NULL, content_size = NULL, lines_added = 0, lines_removed = 0
  WHERE id = ANY($1)`;

/** Resets instances as if nothing had been fetched yet. */
export async function resetInstances(tx: Queryable, instanceIds: readonly string[]): Promise<void> {
  await tx.query(reset, [instanceIds]);
}
