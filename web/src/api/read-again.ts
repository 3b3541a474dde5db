import type { Query, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.js";
import { call } from "./client.js";

/** Milliseconds between two probes of a server that was away. */
const askedEachMs = 5_000;

/** A query that fails again within so many milliseconds after a refetch has another cause, and is not refetched at once. */
const restMs = 60_000;

/** Statuses of no answer (0), or of a proxy whose server is away. */
const away: readonly number[] = [0, 502, 503, 504];

const failedFor = ({ state: { status, error } }: Query): boolean =>
  status === "error" && error instanceof ApiError && away.includes(error.status);

/**
 * Refetches the queries that failed while the server was away, as soon as it answers again: a screen that was opened in that moment, such
 * as one on a wall, recovers by itself. Until then the screen keeps what it shows, and the focus.
 * @returns a function that stops it
 */
export function readAgainWhenBack(client: QueryClient): () => void {
  const wanted = { type: "active", predicate: failedFor } as const;
  let timer: number | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  const later = () => {
    timer ??= window.setTimeout(() => void ask(), Math.max(askedEachMs, readAt + restMs - Date.now()));
  };
  const ask = async () => {
    timer = undefined;
    if (client.getQueryCache().findAll(wanted).length === 0) return;
    try {
      await call("getConfig");
    } catch {
      return later();
    }
    readAt = Date.now();
    void client.refetchQueries(wanted);
  };
  const stopListening = client.getQueryCache().subscribe(({ query }) => {
    if (failedFor(query)) later();
  });
  // for queries that failed before this module was loaded
  later();
  return () => {
    stopListening();
    window.clearTimeout(timer);
  };
}
