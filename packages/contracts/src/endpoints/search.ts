import { z } from "zod";
import {
  phraseHistories,
  searchFrame,
  searchResult,
  searchScope,
  searchSummary,
  snapshotMatches,
} from "../entities/search.js";
import { id } from "../entities/vocabulary.js";
import { limits } from "../limits.js";
import { byId, endpoint } from "./endpoint.js";

const phrase = z
  .string()
  .max(limits.searchPhraseMaxChars)
  .describe(
    "Looked for as a part of the text, whatever its case (Unicode simple case folding, the same in all languages)",
  );

const where = z.object({
  q: phrase,
  testobject_id: id.optional(),
  testinstance_id: id.optional().describe("Only this instance"),
  scope: searchScope.default("html"),
  time_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(limits.searchTimeMs)
    .describe("After this long the answer is what has been found so far, and says so"),
});

const at = where.extend({
  idx: z.coerce
    .number()
    .int()
    .min(0)
    .max(limits.bulkDiffIndexMax)
    .optional()
    .describe("Only the snapshot at this index of each instance, 0 = latest finished; absent: all"),
});

const page = (size: number, max: number) => ({
  limit: z.coerce.number().int().min(1).max(max).default(size),
  cursor: z.string().max(8_000).optional().describe("Where the page before ended"),
});

const order = "by instance (URL), latest snapshot first";

/** Calls that search the snapshots of a test object. */
export const searchEndpoints = {
  search: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/search",
    summary: `Snapshots that hold a phrase, ${order}. Header X-Search-Cursor: where the next page begins; X-Search-Partial: why not everything was searched`,
    query: at.extend(page(limits.searchListSize, limits.searchListMax)),
    response: z.array(searchResult),
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  searchStream: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/search/stream",
    summary: `The same search as it goes on, one JSON object a line (application/x-ndjson): progress, early results, then the page ${order}`,
    query: at.extend(page(limits.searchPageSize, limits.searchListMax)),
    response: searchFrame,
    produces: "application/x-ndjson",
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  searchSummary: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/search/summary",
    summary: "How many matches there are in how many snapshots of how many instances",
    query: at,
    response: searchSummary,
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  searchHistory: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/search/history",
    summary: "When a phrase first and last appeared on each instance, and which snapshots added or removed it",
    query: where.extend(page(limits.searchPageSize, 200)),
    response: phraseHistories,
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  getSnapshotMatches: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testsnapshots/{id}/matches",
    summary: "The lines of a snapshot on which a phrase begins, with its places",
    params: byId,
    query: z.object({
      q: phrase,
      scope: searchScope.default("html"),
      limit: z.coerce.number().int().min(1).max(1_000).default(limits.searchContextLines),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    response: snapshotMatches,
    errors: ["not_found", "invalid_input", "content_missing", "content_damaged"],
  }),
} as const;
