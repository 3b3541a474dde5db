import type { InstanceFilterName, InstanceOrder, InstanceStatus } from "@web-tester/contracts/entities/vocabulary";
import type { Queryable } from "@web-tester/platform/database/database";
import { sharedRead, type Statement } from "@web-tester/platform/database/statement";
import { encodedPart } from "@web-tester/urls/encoded-part";
import { factNames } from "../snapshots/select-snapshots.sql.js";
import type { TickRow } from "../snapshots/snapshot-status.js";
import { keptTotal } from "@web-tester/records/instances/kept-total";

/** An instance as PostgreSQL writes it in JSON: times are strings. */
export interface InstanceRow {
  id: string;
  name: string;
  url: string;
  created_at: string;
  snapshots_total: number;
  status: InstanceStatus;
  http_status: number | null;
  error: string | null;
  lines_added: number;
  lines_removed: number;
  last_snapshot_at: string | null;
  lifecycle: "gone" | "unlinked" | "moved" | null;
  lifecycle_at: string | null;
  changed_at: string | null;
  size_bytes: number | null;
  /** Newest first; null where there are none. */
  history: (TickRow & { changes: number | null; ignored: number | null })[] | null;
}

export interface InstanceFilter {
  objectId: string;
  /** Null for all. */
  status: InstanceFilterName | null;
  /** Text that name or URL contains, or null for all. */
  text: string | null;
  /** Null: those that need attention first. */
  order: InstanceOrder | null;
}

const ticks = 14;

/** SQL: when the newest change of an instance was found. */
const lastChange = (instance: string) => `(
        SELECT coalesce(s.fetched_at, s.created_at) FROM test_snapshot s JOIN change c ON c.snapshot_id = s.id AND c.kind = 'changed'
        WHERE s.test_instance_id = ${instance}.id ORDER BY s.id DESC LIMIT 1)`;

/**
 * SQL: the CTE `latest`, which has each page with its last change, as far as that is among the newest changes.
 * @param some how many changes are looked at; null: all that are stored
 */
const latest = (some: number | null) => `
  latest AS MATERIALIZED (
    SELECT DISTINCT ON (s.test_instance_id) s.test_instance_id AS page, c.snapshot_id AS change
    FROM (
      SELECT snapshot_id FROM change WHERE test_object_id = $1 AND kind = 'changed' ORDER BY snapshot_id DESC${some === null ? "" : ` LIMIT ${some}`}
    ) c ${some === null ? "JOIN test_snapshot s ON s.id = c.snapshot_id" : "CROSS JOIN LATERAL (SELECT test_instance_id FROM test_snapshot WHERE id = c.snapshot_id LIMIT 1) s"}
    ORDER BY s.test_instance_id, c.snapshot_id DESC
  )`;

/**
 * SQL: everything in one statement and one row, because each round trip to the database costs the gateway as much as the rest of the
 * answer.
 * @param pages the instances of the asked part of the list, as in `FROM`
 * @param by a column of them that the order needs beside those of test_instance
 */
const select = (total: string, pages: string, order: (instance: string) => string, by: string | null = null) => `
  SELECT t.total, coalesce(p.items, '[]') AS items
  FROM test_object o
  CROSS JOIN LATERAL (SELECT ${total}::int AS total) t
  CROSS JOIN LATERAL (
    SELECT json_agg(i ORDER BY ${order("i.")}) AS items
    FROM (
      SELECT i.*, h.history, ${lastChange("i")} AS changed_at
      FROM (
        SELECT id, name, url, created_at, snapshots_total, status, http_status, error, lines_added, lines_removed, last_snapshot_at, lifecycle, lifecycle_at, content_size AS size_bytes${by === null ? "" : `, ${by}`}
        FROM ${pages}
      ) i
      CROSS JOIN LATERAL (
        SELECT json_agg(t ORDER BY t.id DESC) AS history
        FROM (
          SELECT s.id, s.state, c.kind AS change, coalesce(c.lines_added + c.lines_removed, 0) AS size,
            c.files_changed, c.changes, c.ignored, ${factNames("c.facts")} AS facts_changed
          FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id
          WHERE s.test_instance_id = i.id ORDER BY s.id DESC LIMIT ${ticks}
        ) t
      ) h
    ) i
  ) p
  WHERE o.id = $1`;

const ofObject = (where: string) => `WHERE test_object_id = $1 AND removal_id IS NULL${where}`;

/** SQL: the asked part of the instances. */
const part = (where: string, order: (instance: string) => string, from = "test_instance") =>
  `${from} ${ofObject(where)} ORDER BY ${order("test_instance.")} LIMIT $2 OFFSET $3`;

/** SQL: the pattern of names is the first of the two, that of addresses the second. */
const withText = "(name ILIKE ($4::text[])[1] OR url ILIKE ($4::text[])[2])";
/**
 * SQL: the CTE `found`, which has the instances with a text: comparing all texts takes longer than anything else, and would be done
 * twice to count them too. It takes longer only for a text that nearly all of them have.
 */
const found = (where: string) => `
  found AS MATERIALIZED (
    SELECT id, name, url, status, last_snapshot_at, content_size FROM test_instance ${ofObject(where)} AND ${withText}
  )`;
const foundTotal = "(SELECT count(*) FROM found)";
/** SQL: the asked part of the instances that were found. */
const partFound = (order: (instance: string) => string, { from, by }: { from: string; by: string }) => `
        (SELECT found.id AS found_id${by} FROM ${from} ORDER BY ${order("found.")} LIMIT $2 OFFSET $3) f
        JOIN test_instance ON test_instance.id = f.found_id`;
/** SQL: how many instances there are, where `keptTotal` knows no sum of them. */
const counted = (where: string) => `(SELECT count(*) FROM test_instance ${ofObject(where)})`;
/** For positions up to this one, looking at only the newest changes first is worth a try; several of them may be of one page. */
const fewPages = 1_000;
const changeOrder = (i: string) => `${i === "i." ? i : ""}change DESC NULLS LAST, ${i}url`;
/**
 * SQL: pages by their last changes, the newest first. `few` looks at the newest changes only, which suffices for the beginning of the
 * list; `all` looks at every change, also for pages that never changed.
 */
const byChange = (total: string, where: string) => {
  const list = (some: number | null, from: string) =>
    `WITH ${latest(some)}${select(total, part(where, changeOrder, `(${from}) test_instance`), changeOrder, "change")}`;
  const changed = changedOf("SELECT * FROM test_instance WHERE id = latest.page");
  const rest = `SELECT *, NULL::uuid FROM test_instance ${ofObject(where)} AND id NOT IN (SELECT page FROM latest)`;
  return { few: list(4 * fewPages, changed), all: list(null, `${changed} UNION ALL ${rest}`) };
};
/**
 * SQL: the pages of `latest` with their changes. Each is looked up by its key, and those without a change are the rest: the planner expects no
 * page and no change of a new object, and would compare each page with each change.
 * @param page SELECT of the instance with the id `latest.page`
 */
const changedOf = (page: string) => `SELECT i.*, latest.change FROM latest CROSS JOIN LATERAL (${page} LIMIT 1) i`;
/** SQL: pages with a text by their last changes. */
const byChangeWithText = (where: string) => {
  const changed = `
    SELECT latest.page AS id, i.url, latest.change FROM latest CROSS JOIN LATERAL (SELECT url FROM test_instance WHERE id = latest.page LIMIT 1) i
    WHERE (latest.page IN (SELECT id FROM found)) IS TRUE`;
  const rest = `SELECT id, url, NULL::uuid FROM found WHERE id NOT IN (SELECT page FROM latest)`;
  const pages = partFound(changeOrder, { from: `(${changed} UNION ALL ${rest}) found`, by: ", found.change" });
  return `WITH ${latest(null)}, ${found(where)}${select(foundTotal, pages, changeOrder, "change")}`;
};
/**
 * The statements of a status filter, by order.
 * @param column kept sum of such instances in object_total; null where they are counted
 */
const statementsFor = (column: string | null, where: string) => {
  const total = column === null ? counted(where) : keptTotal(column, where);
  // `i` is the prefix of columns in the outer order, which uses what the inner query computed
  const inOrder = (order: (instance: string) => string) => ({
    withoutText: sharedRead(select(total, part(where, order), order)),
    // the number of matches depends on the text, so it cannot be kept
    withText: `WITH ${found(where)}${select(foundTotal, partFound(order, { from: "found", by: "" }), order)}`,
  });
  return {
    // the order of the index instance_order
    eyes: inOrder((i) => `instance_status_order(${i}status), ${i}url`),
    name: inOrder((i) => `lower(${i}name), ${i}url`),
    path: inOrder((i) => `${i}url`),
    fetched: inOrder((i) => `${i}last_snapshot_at DESC NULLS LAST, ${i}url`),
    changed: { withoutText: byChange(total, where), withText: byChangeWithText(where) },
    size: inOrder((i) => `${i}${i === "i." ? "size_bytes" : "content_size"} DESC NULLS LAST, ${i}url`),
  };
};

/** SQL: a condition on the status, written by its order because the index is on that. */
const hasStatus = (status: InstanceStatus) => `instance_status_order(status) = instance_status_order('${status}')`;

const all = statementsFor("instances", "");
const ofStatus = {
  changed: statementsFor("changed", ` AND ${hasStatus("changed")}`),
  failed: statementsFor("failed", ` AND ${hasStatus("failed")}`),
  gone: statementsFor(null, ` AND lifecycle IS NOT NULL`),
};

/**
 * Selects one page of an object's instances in an order, and how many there are in all.
 * @returns null where there is no such object
 */
export async function selectInstances(
  db: Queryable,
  { objectId, status, text, order }: InstanceFilter,
  limit: number,
  offset: number,
): Promise<{ items: InstanceRow[]; total: number } | null> {
  const statements = (status === null ? all : ofStatus[status])[order ?? "eyes"];
  const values = [objectId, limit, offset, ...(text === null ? [] : [[text, encodedPart(text)].map(containing)])];
  const ask = async (asked: Statement) => {
    const [row] = await db.query<{ items: InstanceRow[]; total: number }>(asked, values);
    return row ?? null;
  };
  const statement = text === null ? statements.withoutText : statements.withText;
  if (typeof statement === "string" || "name" in statement) return ask(statement);
  const few = offset + limit <= fewPages ? await ask(statement.few) : null;
  return few?.items.length === limit ? few : ask(statement.all);
}

/** A pattern of LIKE for what contains a text. */
const containing = (text: string): string => `%${escapeLike(text)}%`;

/** Escapes the wildcards of LIKE. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
