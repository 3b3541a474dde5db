import type { TestObject } from "@web-tester/contracts/entities/object";
import type { ProductEvent } from "@web-tester/contracts/socket";
import { type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { keys } from "../keys.js";
import { applyToCache, touchesLists } from "./live-object.js";
import { isConnected, listen } from "./live-socket.js";
import { barNames } from "./progress.js";

/** Lists follow events at this pace: often enough to watch, seldom enough not to flicker. */
const refreshEveryMs = 2_000;

/** What runs is read at this pace while no events come. */
const withoutEventsMs = 5_000;

const timers = new Map<string, number>();
const refreshedAt = new Map<string, number>();

/** Calls `read` soon, but for one `name` at most every 2 s. */
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

/** Reads again what events about an object do not carry. The list of all objects is one, however many of them have news. */
function refreshSoon(client: QueryClient, objectId: string): void {
  soon(objectId, () => invalidate(client, partsOf(objectId)));
  soon("list", () => invalidate(client, [keys.testObjects]));
}

const partsOf = (objectId: string) =>
  leaving.has(objectId)
    ? []
    : [keys.testObject(objectId), keys.instances(objectId), keys.instanceChoices(objectId), keys.runs(objectId)];

/** Objects whose deletion was asked for: of one that is gone by the time of an answer nothing is asked, whatever tells of it meanwhile. */
const leaving = new Set<string>();

/** Reads nothing more of an object that is about to be deleted. @returns what ends that, where it is not deleted after all or can come back */
export async function stopReading(client: QueryClient, objectId: string): Promise<() => void> {
  const parts = partsOf(objectId);
  leaving.add(objectId);
  await Promise.all(parts.map((queryKey) => client.cancelQueries({ queryKey })));
  return () => void leaving.delete(objectId);
}

function invalidate(client: QueryClient, parts: readonly QueryKey[]): void {
  for (const queryKey of parts) void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** Reads again everything on screen that belongs to an object. */
export function refresh(client: QueryClient, objectId: string): void {
  invalidate(client, [...partsOf(objectId), keys.testObjects]);
}

/** Whether what was read of an object says that something runs. */
function seemsBusy(client: QueryClient, objectId: string): boolean {
  const own = client.getQueryData<TestObject | null>(keys.testObject(objectId));
  const listed = client.getQueryData<readonly TestObject[]>(keys.testObjects)?.find(({ id }) => id === objectId);
  return [own, listed].some(
    (object) => object && (object.deleting || barNames.some((bar) => object.progress[bar].running)),
  );
}

/** A run that ended between its read and the subscription would be shown as running for ever: read such an object again. */
async function catchUp(client: QueryClient, objectId: string): Promise<void> {
  const reads = [keys.testObject(objectId), keys.testObjects].flatMap((queryKey) =>
    client.getQueryCache().findAll({ queryKey }),
  );
  // what is on its way may have been answered before the subscription
  const underWay = reads.filter((read) => read.state.fetchStatus === "fetching");
  await Promise.allSettled(underWay.flatMap((read) => (read.promise === undefined ? [] : [read.promise])));
  if (seemsBusy(client, objectId)) refreshSoon(client, objectId);
}

/**
 * Keeps the cached objects of these ids live: events go into the cache, lists are read again at a measured pace, and
 * after a break in the connection everything is read once; while it lasts, what runs is. `onEvents` sees the object before and after.
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
