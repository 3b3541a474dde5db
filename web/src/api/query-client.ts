import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.js";

/** Answers younger than this are not asked for again. */
const freshMs = 2_000;
/** A query that failed within this time, before its screen was shown, is not sent again when the screen comes. */
const refusedMs = 5_000;

/** The cache of what this page has read from the API; one for the whole application, so that reading can begin before a screen is there. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Without a network a product on this machine still answers: each call is tried, and what did not come waits for the network.
      networkMode: "offlineFirst",
      staleTime: freshMs,
      retryOnMount: ({ state }) => Date.now() - state.errorUpdatedAt > refusedMs,
      refetchOnWindowFocus: true,
      // A caller's mistake stays one; a server that did not answer may answer the next time.
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiError && (error.status === 0 || error.status === 503),
      retryDelay: (attempt) => 400 * 2 ** attempt,
    },
    // What somebody starts begins now or is said to have failed: nothing is kept to begin by itself later, unasked for.
    mutations: { networkMode: "always" },
  },
});
