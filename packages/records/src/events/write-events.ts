import type { EventKind } from "@web-tester/contracts/entities/digest";
import type { Queryable } from "@web-tester/platform/database/database";
import { fromTheFirst, isNews, type RunNote } from "./crawl-notes.js";
import { insertParts } from "./event-parts.js";
import { backOf, type Findings, type FoundPages, pagesMax } from "./run-findings.js";

/* The lock for assigning event ids; it is held to the end of the transaction, so that ids become visible in their order. */
const orderLock = `SELECT pg_advisory_xact_lock(hashtextextended('web-tester:events', 0))`;
const insert = `
  INSERT INTO watch_event (id, test_object_id, run_id, kind, pages_total, pages, said)
  SELECT (SELECT coalesce(max(id), 0) FROM watch_event) + e.place, $1, $2, e.kind, e.pages_total, e.pages, e.said
  FROM jsonb_to_recordset($3::jsonb) AS e (place int, kind text, pages_total int, pages jsonb, said text)
  RETURNING id::text, kind, pages_total AS total`;

/* Each page that came, went or moved is an event of its own; pages that are back are reported together with recovered ones. */
const insertLives = `
  INSERT INTO watch_event (id, test_object_id, run_id, kind, pages_total, pages)
  SELECT (SELECT coalesce(max(id), 0) FROM watch_event) + row_number() OVER (ORDER BY l.kind, l.url), $1, $2, l.kind, 1,
    jsonb_build_array(jsonb_build_object('instance_id', l.test_instance_id, 'url', l.url,
      'said', CASE WHEN l.to_url IS NULL THEN l.said ELSE 'to ' || l.to_url || ', ' || l.said END))
  FROM page_lifecycle l WHERE l.run_id = $2 AND l.kind IN ('new', 'gone', 'moved', 'unlinked')`;

/** Writes the findings of a run as events, in the global order of events. */
export async function insertEvents(
  tx: Queryable,
  run: { id: string; objectId: string; total: number },
  found: Findings,
  notes: readonly RunNote[],
): Promise<void> {
  const kinds: [EventKind, FoundPages][] = [
    ["changed", found.changed],
    ["failing", found.failing],
    ["recovered", backOf(found, () => true)],
  ];
  const events = kinds.filter(([, { total }]) => total > 0).map(([kind, pages]) => eventOf(kind, pages));
  const strange = notes.filter((note) => isNews(note, fromTheFirst)).map(eventOfNote);
  const ended: EventRow = { kind: "run-ended", pages_total: run.total, pages: [], said: "" };
  await tx.query(orderLock);
  await tx.query(insertLives, [run.objectId, run.id]);
  const written = await insertRows(tx, run, [...events, ...strange, ended]);
  for (const { id, kind, total } of written) if (total > pagesMax) await insertParts(tx, run.id, id, kind);
}

/** Writes notes that the clock caused (not the end of a run) as events of an earlier run. */
export async function insertNotes(
  tx: Queryable,
  run: { id: string; objectId: string },
  notes: readonly RunNote[],
): Promise<void> {
  await tx.query(orderLock);
  await insertRows(tx, run, notes.map(eventOfNote));
}

interface EventRow {
  kind: EventKind;
  pages_total: number;
  pages: object[];
  said: string;
}

function insertRows(tx: Queryable, run: { id: string; objectId: string }, events: readonly EventRow[]) {
  const rows = JSON.stringify(events.map((event, index) => ({ ...event, place: index + 1 })));
  return tx.query<{ id: string; kind: string; total: number }>(insert, [run.objectId, run.id, rows]);
}

const eventOfNote = ({ kind, pages, said }: RunNote): EventRow => ({ kind, pages_total: pages, pages: [], said });

const eventOf = (kind: EventKind, { total, pages }: FoundPages): EventRow => ({
  kind,
  pages_total: total,
  pages: pages.map(({ instanceId, url, said }) => ({ instance_id: instanceId, url, said })),
  said: "",
});
