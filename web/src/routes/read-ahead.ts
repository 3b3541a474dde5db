import type { LoaderFunction, Params, ShouldRevalidateFunction } from "react-router";
import { queryClient } from "../api/query-client.js";
import {
  bulkDiffQuery,
  diffQuery,
  instanceQuery,
  snapshotQuery,
  statsQuery,
  testObjectQuery,
  testObjectsQuery,
} from "../api/queries.js";
import { readAddress } from "../features/diff/address.js";
import { readBulkAddress } from "../features/diff/bulk/bulk-address.js";
import { comesFolded } from "../features/diff/bulk/bulk-entries.js";

/**
 * Prefetches what a screen shows first.
 * @param id from the path, empty where it has none
 */
type Read = (id: string, search: URLSearchParams) => void;

/**
 * The parts of a route that prefetch its data while its code is still loading. Nothing waits for it: the screen shows its own loading
 * state and finds the request under way. When only the search of the address changes, screens ask for the data themselves.
 */
export const ahead = (read: Read): { loader: LoaderFunction; shouldRevalidate: ShouldRevalidateFunction } => ({
  loader: ({ params, url }: { params: Params; url: URL }) => {
    read(params["id"] ?? "", url.searchParams);
    return null;
  },
  shouldRevalidate: ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname,
});

export const readHome: Read = () => {
  void queryClient.prefetchQuery(testObjectsQuery(queryClient));
  void queryClient.prefetchQuery(statsQuery());
};

export const readObject: Read = (id) => void queryClient.prefetchQuery(testObjectQuery(queryClient, id));

export const readInstance: Read = (id) => void queryClient.prefetchInfiniteQuery(instanceQuery(id));

export const readSnapshot: Read = (id) => void queryClient.prefetchQuery(snapshotQuery(id));

export const readDiff: Read = (_, search) => {
  const { query } = readAddress(search);
  if (query !== undefined) void queryClient.prefetchQuery(diffQuery(query));
};

/** How many pages of a bulk diff fit on a screen. */
const pagesOnScreen = 3;

export const readBulkDiff: Read = (_, search) => {
  const { bulk, idx1, idx2, by, context } = readBulkAddress(search);
  if (bulk === undefined) return;
  void queryClient.prefetchQuery(testObjectQuery(queryClient, bulk));
  const readFirst = async () => {
    const { pages } = await queryClient.fetchInfiniteQuery(bulkDiffQuery(bulk, idx1, idx2));
    for (const entry of pages[0]?.diffs.slice(0, pagesOnScreen) ?? []) {
      const { snapshot1, snapshot2 } = entry;
      if (entry.skipped || snapshot1 === null || snapshot2 === null || comesFolded(entry)) continue;
      void queryClient.prefetchQuery(diffQuery({ a: snapshot1.id, b: snapshot2.id, diffType: by, context }));
    }
  };
  // the screen reads the same and reports errors
  readFirst().catch(() => undefined);
};
