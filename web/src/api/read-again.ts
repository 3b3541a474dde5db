import type { Query, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.js";
import { call } from "./client.js";

/** How often a server that was away is asked whether it answers again. */
const askedEachMs = 5_000;

/** What failed again so soon after it was read again has another cause than a server that was away. */
const restMs = 60_000;

/** No answer, or that of a proxy whose server is away. */
const away: readonly number[] = [0, 502, 503, 504];

const failedFor = ({ state: { status, error } }: Query): boolean =>
  status === "error" && error instanceof ApiError && away.includes(error.status);

/**
 * Reads again what the screen could not be read for while the server was away, as soon as it answers: a screen that was opened in that
 * moment, such as one on a wall, comes back by itself. What the screen has stays until then, and with it what has the focus.
 * @returns what ends it
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
  // what failed before this part of the program was here
  later();
  return () => {
    stopListening();
    window.clearTimeout(timer);
  };
}
