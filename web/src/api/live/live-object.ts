import type { TestObject } from "@web-tester/contracts/entities/object";
import type { ProductEvent } from "@web-tester/contracts/socket";
import type { QueryClient } from "@tanstack/react-query";
import { keys } from "../keys.js";
import { applyEvents, type BarName, barOf } from "./progress.js";

/** What is known from events only: the page that a crawl visits now, and since when each bar has been watched (for the time left). */
export interface LiveNotes {
  visiting?: string;
  watched: Partial<Record<BarName, { runId: string | null; sinceMs: number; completed: number }>>;
}

export const noNotes: LiveNotes = { watched: {} };

/** Applies events to every cached copy of the object: its own page's and the list's. */
export function applyToCache(client: QueryClient, objectId: string, events: readonly ProductEvent[]): void {
  client.setQueryData<TestObject | null>(keys.testObject(objectId), (object) =>
    object ? applyEvents(object, events) : object,
  );
  client.setQueryData<readonly TestObject[]>(keys.testObjects, (list) => {
    const index = list?.findIndex((object) => object.id === objectId) ?? -1;
    const object = list?.[index];
    if (list === undefined || object === undefined) return list;
    const next = applyEvents(object, events);
    return next === object ? list : list.with(index, next);
  });
  client.setQueryData<LiveNotes>(keys.live(objectId), (notes = noNotes) => noteEvents(notes, events, Date.now()));
}

/** Applies events to the notes, without side effects. */
function noteEvents(notes: LiveNotes, events: readonly ProductEvent[], nowMs: number): LiveNotes {
  let { visiting } = notes;
  const watched = { ...notes.watched };
  for (const event of events) {
    const bar = barOf(event);
    if (bar === undefined || !("runId" in event)) continue;
    const completed = "completed" in event ? event.completed : 0;
    if (watched[bar]?.runId !== event.runId) watched[bar] = { runId: event.runId, sinceMs: nowMs, completed };
    if (event.type === "crawl:progress" && event.url !== undefined) visiting = event.url;
  }
  return visiting === undefined ? { watched } : { visiting, watched };
}

/** Whether events can have changed what instance lists and figures show. */
export const touchesLists = (events: readonly ProductEvent[]): boolean =>
  events.some(
    (event) => event.type === "snapshot:changed" || event.type === "fetch:error" || barOf(event) !== undefined,
  );
