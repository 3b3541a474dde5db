import type { WatchEvent } from "@web-tester/contracts/entities/notifications";
import type { Queryable } from "@web-tester/platform/database/database";
import { changedOnes, type Turn, turnedOnes, turnWords } from "./run-findings.js";

/** Pages of one part, which is read in one go. */
const partPages = 200;

/* $1 run; $2 and $3 are the parameters of the CTEs; $4 event, $5 kind. All happens inside the database, because an event may have as many pages as a site. */
const parted = `
  INSERT INTO watch_event_part (event_id, part, pages)
  SELECT $4::bigint, place / ${partPages}, jsonb_agg(page ORDER BY place) FROM placed GROUP BY 2`;

const insertChanged = `
  WITH ${changedOnes()}, placed AS (
    SELECT row_number() OVER (ORDER BY url) - 1 AS place, jsonb_build_object('instance_id', instance_id, 'url', url) AS page FROM changed WHERE $5 = 'changed'
  ) ${parted}`;

const insertTurned = `
  WITH ${turnedOnes()}, known AS (
    SELECT 0 AS rank, t.url, jsonb_build_object('instance_id', t.instance_id, 'url', t.url, 'turn', jsonb_build_object(
      'kind', t.kind, 'code', t.code, 'challenged', t.challenged, 'status', t.http_status, 'since', t.since, 'times', t.times,
      'backAt', CASE WHEN t.kind = 'recovered' THEN (SELECT coalesce(s.fetched_at, s.created_at) FROM test_snapshot s WHERE s.id = t.id) END)) AS page
    FROM told t WHERE t.kind = $5
    UNION ALL
    SELECT 1, l.url, jsonb_build_object('instance_id', l.test_instance_id, 'url', l.url, 'said', l.said)
    FROM page_lifecycle l WHERE l.run_id = $1 AND l.kind = 'back' AND $5 = 'recovered'
  ), placed AS (SELECT row_number() OVER (ORDER BY rank, url) - 1 AS place, page FROM known) ${parted}`;

/** Stores all pages of an event, as its run found them; call it in the transaction that creates the event. */
export async function insertParts(tx: Queryable, runId: string, eventId: string, kind: string): Promise<void> {
  if (kind === "changed") await tx.query(insertChanged, [runId, null, null, eventId, kind]);
  if (kind === "failing" || kind === "recovered") await tx.query(insertTurned, [runId, null, 1, eventId, kind]);
}

interface StoredPage {
  instance_id: string;
  url: string;
  said?: string;
  turn?: Omit<Turn, "since" | "backAt"> & { since: string | null; backAt: string | null };
}

/** A part of the pages of an event. `next`: the number of the next part; null when there is none. */
export interface EventPages {
  total: number;
  pages: WatchEvent["pages"];
  next: number | null;
}

const select = `
  SELECT e.pages_total AS total, e.pages AS first, p.pages, EXISTS (
    SELECT 1 FROM watch_event_part n WHERE n.event_id = e.id AND n.part = $2::int + 1) AS more
  FROM watch_event e LEFT JOIN watch_event_part p ON p.event_id = e.id AND p.part = $2 WHERE e.id = $1`;

/** @param part number of the part, from 0 @returns null when there is no such event */
export async function selectEventPages(db: Queryable, eventId: string, part: number): Promise<EventPages | null> {
  const [row] = await db.query<{
    total: number;
    first: WatchEvent["pages"];
    pages: StoredPage[] | null;
    more: boolean;
  }>(select, [eventId, part]);
  if (row === undefined) return null;
  const { total, first, pages, more } = row;
  if (pages === null) return { total, pages: part === 0 ? first : [], next: null };
  return { total, pages: pages.map(toPage), next: more ? part + 1 : null };
}

const dateOf = (text: string | null) => (text === null ? null : new Date(text));

function toPage({ instance_id, url, said = "", turn }: StoredPage): WatchEvent["pages"][number] {
  const words =
    turn === undefined ? said : turnWords({ ...turn, since: dateOf(turn.since), backAt: dateOf(turn.backAt) });
  return { instance_id, url, said: words };
}
