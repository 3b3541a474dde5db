import type { TestObject } from "@web-tester/contracts/entities/object";
import type { ReportGroup } from "@web-tester/contracts/entities/run";
import type { RunKind } from "@web-tester/contracts/entities/vocabulary";
import type { SnapshotAsset, TestSnapshot } from "@web-tester/contracts/entities/snapshot";
import { limits } from "@web-tester/contracts/limits";
import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { QueryInput } from "@web-tester/contracts/api";
import { call } from "./client.js";
import { type InstanceView, keys } from "./keys.js";
import { type LiveNotes, noNotes } from "./live/live-object.js";
import { mergeRead } from "./live/progress.js";
import { putBackPreview, takePreview } from "./preview-text.js";

export const testObjectsQuery = (client: QueryClient) =>
  queryOptions({
    queryKey: keys.testObjects,
    queryFn: async ({ signal }) => {
      const read = await call("listTestObjects", { signal });
      const cached = new Map(
        client.getQueryData<readonly TestObject[]>(keys.testObjects)?.map((object) => [object.id, object]),
      );
      return read.map((object) => mergeRead(cached.get(object.id), object));
    },
  });

/** Query: one object; null where there is none. */
export const testObjectQuery = (client: QueryClient, id: string) =>
  queryOptions({
    queryKey: keys.testObject(id),
    queryFn: async ({ signal }): Promise<TestObject | null> => {
      const read = await call("getTestObject", { params: { id }, signal });
      if (Array.isArray(read)) return null;
      return mergeRead(client.getQueryData<TestObject | null>(keys.testObject(id)) ?? undefined, read);
    },
    // The home list has the same object already: show that at once while it is read again.
    placeholderData: () =>
      client.getQueryData<readonly TestObject[]>(keys.testObjects)?.find((object) => object.id === id),
  });

/** Query: page `page` (from 0) of an object's instances, 20 at a time. */
export const instancePageQuery = (objectId: string, view: InstanceView, page: number) =>
  queryOptions({
    queryKey: keys.instancePage(objectId, view, page),
    queryFn: ({ signal }) =>
      call("listTestInstances", {
        params: { id: objectId },
        query: {
          limit: limits.instancesPageSize,
          offset: page * limits.instancesPageSize,
          status: view.status,
          q: view.q || undefined,
          sort: view.sort,
        },
        signal,
      }),
    gcTime: 60_000,
  });

export const instanceChoicesQuery = (objectId: string) =>
  queryOptions({
    queryKey: keys.instanceChoices(objectId),
    queryFn: ({ signal }) =>
      call("listTestInstances", {
        params: { id: objectId },
        query: { limit: limits.instancesFetchLimit, offset: 0 },
        signal,
      }),
  });

const foundAtOnce = 50;

/** Query: instances that match a text, for pickers, since a large site has more than they list. */
export const foundInstancesQuery = (objectId: string, q: string) =>
  queryOptions({
    queryKey: [...keys.instanceChoices(objectId), q],
    queryFn: ({ signal }) =>
      call("listTestInstances", { params: { id: objectId }, query: { q, limit: foundAtOnce, offset: 0 }, signal }),
  });

const timelinePage = 20;

/** Query: an instance with its snapshots, newest first, 20 more with each page. */
export const instanceQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: keys.instancePages(id),
    queryFn: ({ signal, pageParam }) =>
      call("getTestInstance", { params: { id }, query: { limit: timelinePage, offset: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.reduce((sum, page) => sum + page.testsnapshots.length, 0);
      return last.testsnapshots.length > 0 && loaded < last.snapshots_total ? loaded : undefined;
    },
  });

/** Query: an instance with up to 1,000 snapshots without their content, for pickers. */
export const instanceSnapshotsQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.instance(id), "all"],
    queryFn: ({ signal }) => call("getTestInstance", { params: { id }, query: { limit: 1000, offset: 0 }, signal }),
  });

export const snapshotQuery = (id: string) =>
  queryOptions({
    queryKey: keys.snapshot(id),
    queryFn: async ({ signal }): Promise<TestSnapshot> => {
      const read = await call("getTestSnapshot", { params: { id }, signal });
      if (Array.isArray(read)) throw new Error("A list of assets came where a snapshot was asked for.");
      return read;
    },
    gcTime: 60_000,
  });

/** Query: since when and until when a page has had a line or a text of a snapshot. */
export const traceQuery = (id: string, asked: QueryInput<"traceInSnapshots">) =>
  queryOptions({
    queryKey: keys.trace(id, asked),
    queryFn: ({ signal }) => call("traceInSnapshots", { params: { id }, query: asked, signal }),
    retry: false,
  });

/** Query: the files of a snapshot. Their addresses may expire after some hours. */
export const snapshotAssetsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.snapshotAssets(id),
    queryFn: async ({ signal }): Promise<SnapshotAsset[]> => {
      const read = await call("getTestSnapshot", { params: { id }, query: { _action: "assets" }, signal });
      if (!Array.isArray(read)) throw new Error("A snapshot came where the list of its assets was asked for.");
      return read;
    },
    gcTime: 60_000,
  });

/**
 * Query: the address at which an edited text is shown; null where its key was used before. Removes the text from session storage, so
 * that it can be asked for only once.
 */
export const editedPreviewQuery = (id: string, key: string) =>
  queryOptions({
    queryKey: keys.editedPreview(id, key),
    queryFn: async (): Promise<string | null> => {
      const html = takePreview(key);
      if (html === null) return null;
      try {
        return (await call("previewTestSnapshot", { params: { id }, body: { html } })).render;
      } catch (error) {
        putBackPreview(key, html);
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export const diffQuery = (query: QueryInput<"getDiffHunks">) =>
  queryOptions({
    queryKey: keys.diff(query),
    queryFn: ({ signal }) => call("getDiffHunks", { query, signal }),
    staleTime: 60_000,
    gcTime: 120_000,
  });

/** Query: the difference of one file between two snapshots. */
export const fileDiffQuery = (query: QueryInput<"getFileDiff">) =>
  queryOptions({
    queryKey: keys.fileDiff(query),
    queryFn: ({ signal }) => call("getFileDiff", { query, signal }),
    staleTime: 60_000,
    gcTime: 120_000,
  });

/** Query: how two snapshots differ beside their HTML. */
export const besideQuery = (query: QueryInput<"getDiffBeside">) =>
  queryOptions({
    queryKey: keys.beside(query),
    queryFn: ({ signal }) => call("getDiffBeside", { query, signal }),
    staleTime: 60_000,
    gcTime: 120_000,
  });

/** Query: pages whose newest snapshot uses a file, identified by its content. */
export const pagesOfFileQuery = (objectId: string, hash: string) =>
  infiniteQueryOptions({
    queryKey: keys.pagesOfFile(objectId, hash),
    queryFn: ({ signal, pageParam }) =>
      call("listPagesOfFile", {
        params: { id: objectId },
        query: { hash, limit: limits.instancesPageSize, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** A number of days back from now, or the first day to include, as `2026-01-31` in the reader's time zone. */
export type Since = number | string;
const sinceTime = (since: Since): string =>
  (typeof since === "number" ? new Date(Date.now() - since * dayMs) : new Date(`${since}T00:00`)).toISOString();

/** Query: files that changed in the last days; those of most pages come first. */
export const changedFilesQuery = (objectId: string, days: Since) =>
  infiniteQueryOptions({
    queryKey: keys.changedFiles(objectId, days),
    queryFn: ({ signal, pageParam }) =>
      call("listChangedFiles", {
        params: { id: objectId },
        query: {
          since: pageParam?.since ?? sinceTime(days),
          limit: filesAtOnce,
          offset: pageParam?.offset ?? 0,
        },
        signal,
      }),
    initialPageParam: null as { since: string; offset: number } | null,
    getNextPageParam: ({ total, since, items }, pages) => {
      const offset = pages.reduce((sum, page) => sum + page.items.length, 0);
      return items.length > 0 && offset < total ? { since, offset } : undefined;
    },
  });

/** Query: the pairs of a bulk diff that differ, 20 at a time, without their HTML; hunks are read page by page. */
export const bulkDiffQuery = (objectId: string, idx1: number, idx2: number) =>
  infiniteQueryOptions({
    queryKey: keys.bulkDiff(objectId, idx1, idx2, "differing"),
    queryFn: ({ signal, pageParam }) =>
      call("getBulkDiff", {
        params: { id: objectId },
        query: { idx1, idx2, limit: limits.bulkDiffPageSize, offset: pageParam, html: "false" },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore, offset, diffs, diffCount }) => {
      const next = offset + diffs.length;
      return hasMore && diffs.length > 0 && next < diffCount ? next : undefined;
    },
  });

/**
 * Query: the pairs that a bulk diff skips, 20 at a time.
 * @param from how many pairs differ, since those come first in the list
 */
export const bulkSkippedQuery = (objectId: string, idx1: number, idx2: number, from: number) =>
  infiniteQueryOptions({
    queryKey: [...keys.bulkDiff(objectId, idx1, idx2, "skipped"), from],
    queryFn: ({ signal, pageParam }) =>
      call("getBulkDiff", {
        params: { id: objectId },
        query: { idx1, idx2, limit: limits.bulkDiffPageSize, offset: pageParam, html: "false" },
        signal,
      }),
    initialPageParam: from,
    getNextPageParam: ({ hasMore, offset, diffs }) => (hasMore && diffs.length > 0 ? offset + diffs.length : undefined),
  });

const filesAtOnce = 20;
const dayMs = 24 * 3_600_000;

/** Query: instances that changed in the last days, the latest change first. */
export const changesQuery = (objectId: string, days: Since) =>
  infiniteQueryOptions({
    queryKey: keys.changes(objectId, days),
    queryFn: ({ signal, pageParam }) =>
      call("listChanges", {
        params: { id: objectId },
        query: {
          since: pageParam?.since ?? sinceTime(days),
          limit: limits.instancesPageSize,
          cursor: pageParam?.cursor,
        },
        signal,
      }),
    initialPageParam: null as { since: string; cursor: string } | null,
    getNextPageParam: ({ nextCursor, since }) => (nextCursor === null ? undefined : { cursor: nextCursor, since }),
  });

/** Query: two snapshots as rendered pages. Their addresses are signed for an hour where a token is set. */
export const visualQuery = (a: string, b: string) =>
  queryOptions({
    queryKey: keys.visual(a, b),
    queryFn: ({ signal }) => call("getVisualDiff", { query: { a, b }, signal }),
    staleTime: 600_000,
  });

export const visualTextQuery = (a: string, b: string) =>
  queryOptions({
    queryKey: [...keys.visual(a, b), "text"],
    queryFn: ({ signal }) => call("getVisualText", { query: { a, b }, signal }),
    staleTime: 600_000,
  });

/** Query: the pictures of two snapshots. Drawing takes seconds; asking again is answered from what was drawn before. */
export const visualPicturesQuery = (a: string, b: string, threshold: number) =>
  queryOptions({
    queryKey: [...keys.visual(a, b), "pictures", threshold],
    queryFn: ({ signal }) => call("getVisualPictures", { query: { a, b, threshold }, signal }),
    staleTime: ({ state }) => (state.data?.state === "compared" ? 600_000 : 0),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    retry: false,
  });

export const statsQuery = () =>
  queryOptions({
    queryKey: keys.stats,
    queryFn: ({ signal }) => call("getStats", { signal }),
    refetchInterval: 30_000,
  });

/** Query: who is signed in, what they may do, and how one can sign in. */
export const sessionQuery = () =>
  queryOptions({
    queryKey: keys.session,
    queryFn: ({ signal }) => call("getSession", { signal }),
    staleTime: 60_000,
  });

/** Query: the server's configuration; a development server that serves none has no sample and no provider. */
export const configQuery = () =>
  queryOptions({
    queryKey: keys.config,
    queryFn: ({ signal }) => call("getConfig", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Query: the last imports, read every second while one is under way. */
export const importsQuery = () =>
  queryOptions({
    queryKey: keys.imports,
    queryFn: ({ signal }) => call("listImports", { signal }),
    refetchInterval: ({ state }) =>
      state.data?.items.some((job) => job.state === "reading" || job.state === "applying") === true ? 1_000 : 15_000,
  });

/** Query: the newest runs of some kinds; filtered by the server, because hundreds of runs of other kinds may be newer. */
export const runsQuery = (objectId: string, of: readonly RunKind[], limit: number) => {
  const kind = of.join(",");
  return queryOptions({
    queryKey: [...keys.runs(objectId), kind, limit],
    queryFn: ({ signal }) => call("listRuns", { params: { id: objectId }, query: { limit, kind }, signal }),
  });
};

/** Query: what was done on each of the last days, in the reader's time zone. */
export const runDaysQuery = (objectId: string, zone: string) =>
  queryOptions({
    queryKey: keys.runDays(objectId, zone),
    queryFn: ({ signal }) =>
      call("listRunDays", { params: { id: objectId }, query: { days: 90, time_zone: zone }, signal }),
  });

/** Query: the counts of a crawl's report. */
export const reportQuery = (runId: string) =>
  queryOptions({
    queryKey: keys.report(runId, null),
    queryFn: ({ signal }) => call("getRunReport", { params: { id: runId }, signal }),
    // which pages carry broken links is known a moment after the end of a crawl
    refetchInterval: ({ state }) => (state.data?.carriers_known === false ? 2_000 : false),
  });

/** Query: the pages that carry one broken link of a crawl, page by page. */
export const carriersQuery = (runId: string, url: string) =>
  infiniteQueryOptions({
    queryKey: keys.carriers(runId, url),
    queryFn: ({ signal, pageParam }) =>
      call("listCarriers", { params: { id: runId }, query: { url, offset: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore }, pages) =>
      hasMore ? pages.reduce((sum, page) => sum + page.items.length, 0) : undefined,
  });

/** Query: one list of a crawl's report, page by page; read again once it is known which pages carry broken links. */
export const reportListQuery = (runId: string, group: ReportGroup, carriersKnown: boolean) =>
  infiniteQueryOptions({
    queryKey: [...keys.report(runId, group), carriersKnown],
    queryFn: ({ signal, pageParam }) =>
      call("getRunReport", { params: { id: runId }, query: { group, offset: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.hasMore ? pages.reduce((sum, page) => sum + page.items.length, 0) : undefined,
  });

export const liveNotesQuery = (objectId: string) =>
  queryOptions<LiveNotes>({
    queryKey: keys.live(objectId),
    queryFn: () => noNotes,
    initialData: noNotes,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const rulesQuery = (objectId: string) =>
  queryOptions({
    queryKey: keys.rules(objectId),
    queryFn: ({ signal }) => call("listRules", { params: { id: objectId }, signal }),
  });
