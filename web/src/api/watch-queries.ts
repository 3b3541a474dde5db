import type { BodyInput } from "@web-tester/contracts/api";
import type { LifecycleKind } from "@web-tester/contracts/entities/lifecycle";
import type { DeliveryState } from "@web-tester/contracts/entities/notifications";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call } from "./client.js";
import { keys } from "./keys.js";

/* Queries about schedules and about who is notified. */

export const schedulesQuery = (objectId: string) =>
  queryOptions({
    queryKey: keys.schedules(objectId),
    queryFn: ({ signal }) => call("listSchedules", { params: { id: objectId }, signal }),
  });

/** Query: a schedule in words, with its next times. */
export const schedulePreviewQuery = (objectId: string, body: BodyInput<"previewSchedule">) =>
  queryOptions({
    queryKey: keys.schedulePreview(objectId, body),
    queryFn: ({ signal }) => call("previewSchedule", { params: { id: objectId }, body, signal }),
    retry: false,
    placeholderData: (before) => before,
  });

export const channelsQuery = () =>
  queryOptions({ queryKey: keys.channels, queryFn: ({ signal }) => call("listChannels", { signal }) });

export const routesQuery = () =>
  queryOptions({ queryKey: keys.routes, queryFn: ({ signal }) => call("listRoutes", { signal }) });

export const feedsQuery = () =>
  queryOptions({ queryKey: keys.feeds, queryFn: ({ signal }) => call("listFeeds", { signal }) });

/**
 * Query: messages, the newest first.
 * @param state only messages in this state; null for all
 */
export const deliveriesQuery = (state: DeliveryState | null) =>
  queryOptions({
    queryKey: keys.deliveries(state),
    queryFn: ({ signal }) =>
      call("listDeliveries", { query: { limit: 50, ...(state === null ? {} : { state }) }, signal }),
  });

/** Query: the next scheduled runs. */
export const upcomingQuery = () =>
  queryOptions({
    queryKey: keys.upcoming,
    queryFn: ({ signal }) => call("listUpcomingRuns", { query: { limit: 5 }, signal }),
  });

/** Query: schedules of all objects, 50 at a time. */
export const allSchedulesQuery = () =>
  infiniteQueryOptions({
    queryKey: keys.allSchedules,
    queryFn: ({ signal, pageParam }) => call("listAllSchedules", { query: { limit: 50, skip: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ items, total }, _, skipped) => {
      const seen = skipped + items.length;
      return items.length > 0 && seen < total ? seen : null;
    },
  });

/** Query: what was done on each of the last days, for all objects together. */
export const allDaysQuery = (zone: string) =>
  queryOptions({
    queryKey: keys.allDays(zone),
    queryFn: ({ signal }) => call("listAllDays", { query: { days: 90, time_zone: zone }, signal }),
  });

/** Query: the pages that came and went, as far as they belong to the review of a fetch: the newest of each kind. */
export const cameAndWentQuery = (objectId: string, runId: string) =>
  queryOptions({
    queryKey: keys.lifecycle(objectId, `review ${runId}`),
    queryFn: ({ signal }) =>
      call("listLifecycle", { params: { id: objectId }, query: { review_of: runId, each: 10 }, signal }),
  });

/**
 * Query: what became of an object's pages, the newest first.
 * @param kind only this kind; null for all. @param of only what one run saw, or what belongs to the review of one; empty for all
 */
export const lifecycleQuery = (
  objectId: string,
  kind: LifecycleKind | null,
  of: { run_id?: string; review_of?: string },
) =>
  infiniteQueryOptions({
    queryKey: keys.lifecycle(objectId, `${kind ?? "all"} ${of.run_id ?? ""} ${of.review_of ?? ""}`),
    queryFn: ({ signal, pageParam }) =>
      call("listLifecycle", {
        params: { id: objectId },
        query: {
          limit: 50,
          ...(kind === null ? {} : { kind }),
          ...of,
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
