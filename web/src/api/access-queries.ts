import type { QueryInput } from "@web-tester/contracts/api";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call } from "./client.js";
import { keys } from "./keys.js";

/** Named tokens, those that open something first. */
export const tokensQuery = () =>
  queryOptions({ queryKey: keys.tokens, queryFn: ({ signal }) => call("listTokens", { signal }) });

/** What of the list of who changed what is shown. */
export type AuditQuery = Omit<QueryInput<"listAudit">, "cursor" | "limit">;

/** Who changed what, newest first, 100 entries with each part; where a part begins does not move when new ones come. */
export const auditQuery = (filter: AuditQuery) =>
  infiniteQueryOptions({
    queryKey: keys.audit({ ...filter }),
    queryFn: ({ signal, pageParam }) =>
      call("listAudit", { query: { ...filter, limit: 100, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });

/** Links that show one thing: those of that thing, newest first. */
export const sharesQuery = (of: QueryInput<"listShares">) =>
  queryOptions({
    queryKey: keys.shares({ ...of }),
    queryFn: ({ signal }) => call("listShares", { query: of, signal }),
  });

/** What the link opens that this page was opened by. */
export const sharedQuery = () =>
  queryOptions({ queryKey: keys.shared, queryFn: ({ signal }) => call("getShared", { signal }), staleTime: 30_000 });
