import { z } from "zod";
import { lifecycleEntry, lifecycleKind } from "../entities/lifecycle.js";
import { count, id } from "../entities/vocabulary.js";
import { byId, endpoint } from "./endpoint.js";

/** Calls about pages that come and go. */
export const lifecycleEndpoints = {
  listLifecycle: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/lifecycle",
    summary: "Pages that came, went, moved or were linked no more, the newest first",
    params: byId,
    query: z.object({
      kind: lifecycleKind.optional(),
      run_id: id.optional().describe("Only what this run saw"),
      review_of: id
        .optional()
        .describe("What belongs to the review of this fetch: what it saw, and what was seen since the fetch before it"),
      each: z.coerce
        .number()
        .int()
        .min(1)
        .max(100)
        .optional()
        .describe("The newest of each kind, so many at most, instead of a page of the whole list"),
      limit: z.coerce.number().int().min(1).max(500).default(50),
      cursor: id.optional().describe("nextCursor of the page before"),
    }),
    response: z.object({
      items: z.array(lifecycleEntry),
      counts: z
        .partialRecord(lifecycleKind, count)
        .optional()
        .describe("With `each`: how many there are of each kind; a kind without any is absent"),
      nextCursor: id.nullable(),
    }),
    errors: ["not_found", "invalid_input"],
  }),
  undoMove: endpoint({
    method: "POST",
    role: "reviewer",
    path: "/api/lifecycle/{id}/undo",
    summary: "Make two pages again of one whose history followed it to a new address",
    params: byId,
    body: z.object({}),
    response: z.object({ undone: z.literal(true) }),
    errors: ["not_found", "conflict"],
  }),
} as const;
