import { queryOptions } from "@tanstack/react-query";
import { call } from "./client.js";

/** Query: the groups of similar addresses in a running crawl. */
export const crawlShapesQuery = (runId: string) =>
  queryOptions({
    queryKey: ["crawl-shapes", runId],
    queryFn: ({ signal }) => call("listCrawlShapes", { params: { id: runId }, signal }),
    refetchInterval: 10_000,
    retry: false,
  });
