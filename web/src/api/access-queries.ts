import type { QueryInput } from "@web-tester/contracts/api";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call } from "./client.js";
import { keys } from "./keys.js";

/** Query: named tokens, valid ones first. */
export const tokensQuery = () =>
  queryOptions({ queryKey: keys.tokens, queryFn: ({ signal }) => call("listTokens", { signal }) });

/** The filter of the list of who changed what. */
export type AuditQuery = Omit<QueryInput<"listAudit">, "cursor" | "limit">;

/** Query: who changed what, newest first, 100 entries in each part; new entries do not move where a part begins. */
export const auditQuery = (filter: AuditQuery) =>
  infiniteQueryOptions({
    queryKey: keys.audit({ ...filter }),
    queryFn: ({ signal, pageParam }) =>
      call("listAudit", { query: { ...filter, limit: 100, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });

/** Query: the share links of one thing, newest first. */
export const sharesQuery = (of: QueryInput<"listShares">) =>
  queryOptions({
    queryKey: keys.shares({ ...of }),
    queryFn: ({ signal }) => call("listShares", { query: of, signal }),
  });

/** Query: what the share link shows that opened this page. */
export const sharedQuery = () =>
  queryOptions({ queryKey: keys.shared, queryFn: ({ signal }) => call("getShared", { signal }), staleTime: 30_000 });
