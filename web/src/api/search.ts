import type { QueryInput } from "@web-tester/contracts/api";
import { searchFrame, type SearchFrame, type SearchScope } from "@web-tester/contracts/entities/search";
import { limits } from "@web-tester/contracts/limits";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { t } from "../texts/text.js";
import { ApiError } from "./api-error.js";
import { call, open } from "./client.js";
import { eachLine } from "./stream.js";

/** What is searched for and where; `instance`, `idx`: undefined for all. */
export interface Search {
  readonly objectId: string;
  readonly q: string;
  readonly scope: SearchScope;
  readonly instance: string | undefined;
  readonly idx: number | undefined;
}

type Page = Extract<SearchFrame, { type: "page" }>;
/** What a search reports before its page is complete. */
export type SearchNews = Extract<SearchFrame, { type: "progress" | "early" }>;

const keyOf = ({ objectId, q, scope, instance, idx }: Search) => ["search", objectId, q, scope, instance, idx] as const;

const where = ({ objectId, q, scope, instance }: Search) => ({
  q,
  scope,
  testobject_id: objectId,
  testinstance_id: instance,
});

/**
 * Query: results page by page.
 * @param onNews is called with what the first page's search finds while it goes on
 */
export const searchQuery = (search: Search, onNews: (news: SearchNews) => void) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(search), "results"],
    queryFn: ({ signal, pageParam }) =>
      streamPage(
        { ...where(search), idx: search.idx, cursor: pageParam, limit: limits.searchPageSize },
        signal,
        onNews,
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.cursor ?? undefined,
    enabled: search.q !== "",
    retry: false,
    gcTime: 120_000,
  });

async function streamPage(
  query: QueryInput<"searchStream">,
  signal: AbortSignal,
  onNews: (news: SearchNews) => void,
): Promise<Page> {
  const answer = await open("searchStream", { query, signal });
  let page: Page | undefined;
  let failure: ApiError | undefined;
  await eachLine(answer, (line) => {
    const frame = searchFrame.parse(line);
    if (frame.type === "page") page = frame;
    else if (frame.type === "error") failure = new ApiError(frame.error.status, frame.error.code, frame.error.message);
    else onNews(frame);
  });
  if (failure !== undefined) throw failure;
  if (page === undefined)
    throw new ApiError(0, "unreachable", t("The search ended before its answer was there. Search again."));
  return page;
}

/** Query: sums of a search; asked for when its first page is there. */
export const searchSummaryQuery = (search: Search, enabled: boolean) =>
  queryOptions({
    queryKey: [...keyOf(search), "summary"],
    queryFn: ({ signal }) => call("searchSummary", { query: { ...where(search), idx: search.idx }, signal }),
    enabled: enabled && search.q !== "",
    retry: false,
  });

/** Query: when a phrase appeared and disappeared, page by page. */
export const searchHistoryQuery = (search: Search) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(search), "history"],
    queryFn: ({ signal, pageParam }) =>
      call("searchHistory", { query: { ...where(search), cursor: pageParam, limit: limits.searchPageSize }, signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.cursor ?? undefined,
    enabled: search.q !== "",
    retry: false,
    gcTime: 120_000,
  });

/** Query: the lines of a snapshot on which a phrase begins. */
export const snapshotMatchesQuery = (snapshotId: string, q: string, scope: SearchScope, limit: number) =>
  queryOptions({
    queryKey: ["snapshot-matches", snapshotId, q, scope, limit],
    queryFn: ({ signal }) =>
      call("getSnapshotMatches", { params: { id: snapshotId }, query: { q, scope, limit }, signal }),
    enabled: q !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

/** Query: the instance that a search is limited to. */
export const searchedInstanceQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ["searched-instance", id],
    queryFn: ({ signal }) =>
      call("getTestInstance", { params: { id: id ?? "" }, query: { limit: 20, offset: 0 }, signal }),
    enabled: id !== undefined,
  });
