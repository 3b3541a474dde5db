import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.js";

/** What was answered within this time is not asked for again. */
const freshMs = 2_000;
/** What was refused so lately, before the screen that asks for it was there, is not asked for again when it comes. */
const refusedMs = 5_000;

/** What this page has read of the API; one for the whole application, so that reading can begin before a screen is there. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Without a network a product on this machine still answers: each call is tried, and what did not come waits for the network.
      networkMode: "offlineFirst",
      staleTime: freshMs,
      retryOnMount: ({ state }) => Date.now() - state.errorUpdatedAt > refusedMs,
      refetchOnWindowFocus: true,
      // What a caller got wrong stays wrong; a server that did not answer may answer again.
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiError && (error.status === 0 || error.status === 503),
      retryDelay: (attempt) => 400 * 2 ** attempt,
    },
    // What somebody starts begins now or is said to have failed: nothing is kept to begin by itself later, unasked for.
    mutations: { networkMode: "always" },
  },
});
