import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { BodyInput, QueryInput } from "@web-tester/contracts/api";
import { call } from "./client.js";
import { keys } from "./keys.js";

/** Query: the rules that would ignore a changed line. */
export const suggestionsQuery = (objectId: string, body: BodyInput<"suggestRules">) =>
  queryOptions({
    queryKey: keys.suggestions({ objectId, ...body }),
    queryFn: ({ signal }) => call("suggestRules", { params: { id: objectId }, body, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const reviewQuery = (runId: string) =>
  queryOptions({
    queryKey: keys.review(runId),
    queryFn: ({ signal }) => call("getReview", { params: { id: runId }, query: { limit: 200 }, signal }),
    // a comparison that has just begun is over within seconds
    refetchInterval: ({ state }) =>
      state.data?.run.kind === "compare" && state.data.run.state === "running" ? 1_000 : false,
  });

/** Query: the groups of changes of a run behind the first ones, 200 more with each part. */
export const moreGroupsQuery = (runId: string, first: number) =>
  infiniteQueryOptions({
    queryKey: [...keys.review(runId), "groups", first],
    queryFn: ({ signal, pageParam }) =>
      call("getReview", { params: { id: runId }, query: { limit: 200, offset: pageParam }, signal }),
    initialPageParam: first,
    getNextPageParam: (last, _all, offset) => (last.groups.length === 0 ? undefined : offset + last.groups.length),
  });

/** Query: pages of a run, 50 more with each part. */
export const reviewPagesQuery = (runId: string, filter: Omit<QueryInput<"listReviewPages">, "cursor" | "limit">) =>
  infiniteQueryOptions({
    queryKey: keys.reviewPages(runId, filter),
    queryFn: ({ signal, pageParam }) =>
      call("listReviewPages", { params: { id: runId }, query: { ...filter, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });

/** Query: when the address of an object's badge was made. */
export const badgeQuery = (objectId: string) =>
  queryOptions({
    queryKey: keys.badge(objectId),
    queryFn: ({ signal }) => call("getBadge", { params: { id: objectId }, signal }),
  });

/**
 * Query: checks of releases, newest first.
 * @param objectId null: of all test objects
 */
export const checksQuery = (objectId: string | null) =>
  infiniteQueryOptions({
    queryKey: keys.checks(objectId),
    queryFn: ({ signal, pageParam }) =>
      call("listChecks", { query: { testobject_id: objectId ?? undefined, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
