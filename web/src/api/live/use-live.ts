import type { TestObject } from "@web-tester/contracts/entities/object";
import type { ProductEvent } from "@web-tester/contracts/socket";
import { type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { keys } from "../keys.js";
import { applyToCache, touchesLists } from "./live-object.js";
import { isConnected, listen } from "./live-socket.js";
import { barNames } from "./progress.js";

/** Lists are read again at most this often while events arrive: often enough to follow, seldom enough not to flicker. */
const refreshEveryMs = 2_000;

/** While no events arrive, running objects are read this often. */
const withoutEventsMs = 5_000;

const timers = new Map<string, number>();
const refreshedAt = new Map<string, number>();

/** Throttles reads: calls `read` soon, but at most every 2 s for the same `name`. */
function soon(name: string, read: () => void): void {
  if (timers.has(name)) return;
  const wait = Math.max(0, (refreshedAt.get(name) ?? 0) + refreshEveryMs - Date.now());
  const timer = window.setTimeout(
    () => {
      timers.delete(name);
      refreshedAt.set(name, Date.now());
      read();
    },
    Math.max(wait, 250),
  );
  timers.set(name, timer);
}

/** Reads again soon what events about an object do not carry. The list of all objects is read as one, however many of them have news. */
function refreshSoon(client: QueryClient, objectId: string): void {
  soon(objectId, () => invalidate(client, partsOf(objectId)));
  soon("list", () => invalidate(client, [keys.testObjects]));
}

const partsOf = (objectId: string) =>
  leaving.has(objectId)
    ? []
    : [keys.testObject(objectId), keys.instances(objectId), keys.instanceChoices(objectId), keys.runs(objectId)];

/**
 * Objects that are about to be deleted: nothing of them is read any more, whatever events tell, because the answer might come after
 * the deletion.
 */
const leaving = new Set<string>();

/**
 * Stops reading an object that is about to be deleted.
 * @returns a function that allows reading again, where the deletion fails or can be undone
 */
export async function stopReading(client: QueryClient, objectId: string): Promise<() => void> {
  const parts = partsOf(objectId);
  leaving.add(objectId);
  await Promise.all(parts.map((queryKey) => client.cancelQueries({ queryKey })));
  return () => void leaving.delete(objectId);
}

function invalidate(client: QueryClient, parts: readonly QueryKey[]): void {
  for (const queryKey of parts) void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** Reads everything on screen again that belongs to an object. */
export function refresh(client: QueryClient, objectId: string): void {
  invalidate(client, [...partsOf(objectId), keys.testObjects]);
}

/** Whether cached reads of an object say that something is running. */
function seemsBusy(client: QueryClient, objectId: string): boolean {
  const own = client.getQueryData<TestObject | null>(keys.testObject(objectId));
  const listed = client.getQueryData<readonly TestObject[]>(keys.testObjects)?.find(({ id }) => id === objectId);
  return [own, listed].some(
    (object) => object && (object.deleting || barNames.some((bar) => object.progress[bar].running)),
  );
}

/**
 * Reads a busy object again after the subscription: a run that ended between the read and the subscription would be shown as running
 * forever.
 */
async function catchUp(client: QueryClient, objectId: string): Promise<void> {
  const reads = [keys.testObject(objectId), keys.testObjects].flatMap((queryKey) =>
    client.getQueryCache().findAll({ queryKey }),
  );
  // requests under way may have been answered before the subscription
  const underWay = reads.filter((read) => read.state.fetchStatus === "fetching");
  await Promise.allSettled(underWay.flatMap((read) => (read.promise === undefined ? [] : [read.promise])));
  if (seemsBusy(client, objectId)) refreshSoon(client, objectId);
}

/**
 * Keeps the cached objects with these ids live: events update the cache, lists are read again at a throttled pace, and after a break
 * in the connection everything is read once. During the break running objects are polled. `onEvents` is called with the object before
 * the events.
 */
export function useLiveObjects(
  ids: readonly string[],
  onEvents?: (events: readonly ProductEvent[], objectId: string, before: TestObject | undefined) => void,
): void {
  const client = useQueryClient();
  const handler = useRef(onEvents);
  useEffect(() => {
    handler.current = onEvents;
  });
  const joined = ids.join(",");
  useEffect(() => {
    const stops = (joined === "" ? [] : joined.split(",")).map((objectId) =>
      listen(objectId, {
        onEvents: (events) => {
          const before = client.getQueryData<TestObject | null>(keys.testObject(objectId)) ?? undefined;
          applyToCache(client, objectId, events);
          handler.current?.(events, objectId, before);
          if (touchesLists(events)) refreshSoon(client, objectId);
        },
        onSubscribed: () => void catchUp(client, objectId),
        onReconnect: () => refresh(client, objectId),
      }),
    );
    const timer = window.setInterval(() => {
      if (isConnected() || joined === "") return;
      for (const objectId of joined.split(",")) if (seemsBusy(client, objectId)) refresh(client, objectId);
    }, withoutEventsMs);
    return () => {
      window.clearInterval(timer);
      for (const stop of stops) stop();
    };
  }, [client, joined]);
}
