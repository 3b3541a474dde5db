import { queryOptions } from "@tanstack/react-query";
import { call } from "./client.js";

/** What most addresses of a crawl that is running have in common. */
export const crawlShapesQuery = (runId: string) =>
  queryOptions({
    queryKey: ["crawl-shapes", runId],
    queryFn: ({ signal }) => call("listCrawlShapes", { params: { id: runId }, signal }),
    refetchInterval: 10_000,
    retry: false,
  });
