import { z } from "zod";
import { fingerprint, reviewKind, reviewPage, runReview, verdict } from "../entities/review.js";
import { id, timestamp } from "../entities/vocabulary.js";
import { limits } from "../limits.js";
import { nameText } from "../visible-text.js";
import { byId, endpoint } from "./endpoint.js";

/** The target of a verdict: exactly one of these fields. */
const target = {
  fingerprint: fingerprint.optional().describe("A kind of change"),
  instance_id: id.optional().describe("A page"),
  all: z.literal(true).optional().describe("Everything of which nothing was said yet; to take back, everything"),
};

/** The counts after the call: changed pages, and those that still wait for a verdict. */
const left = z.object({ changed: z.int(), waiting: z.int() });

/** Calls about reviewing the findings of a run. */
export const reviewsEndpoints = {
  getReview: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/runs/{id}/review",
    summary: "What a fetch of pages found: counts, and equal changes of many pages as one",
    params: byId,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    }),
    response: runReview,
    errors: ["not_found", "invalid_input"],
  }),
  listReviewPages: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/runs/{id}/review/pages",
    summary: "Pages of a run: those of one kind, with one kind of change, or with a text in name or address",
    params: byId,
    query: z.object({
      kind: reviewKind.optional(),
      fingerprint: fingerprint.optional(),
      otherwise: z
        .enum(["true", "false"])
        .default("false")
        .describe("Instead of pages with this kind of change: those of which the same place changed in another way"),
      q: nameText().max(limits.urlMaxChars).optional(),
      limit: z.coerce.number().int().min(1).max(limits.instancesFetchLimit).default(50),
      cursor: id.optional().describe("nextCursor of the page before"),
    }),
    response: z.object({
      items: z.array(reviewPage),
      nextCursor: id.nullable().describe("Where the next page begins; null at the end"),
    }),
    errors: ["not_found", "invalid_input"],
  }),
  leaveOutAlike: endpoint({
    method: "POST",
    role: "reviewer",
    path: "/api/runs/{id}/review/alike",
    summary:
      "Count a changed page of a comparison that looks the same in both states, drawn by a browser, as ignored; one that looks otherwise, or cannot be drawn, stays",
    params: byId,
    body: z.strictObject({ instance_id: id.describe("A page that this comparison says is changed") }),
    response: left.extend({ left_out: z.boolean().describe("Whether it looks the same") }),
    errors: ["not_found", "invalid_input", "conflict", "unavailable"],
  }),
  giveVerdict: endpoint({
    method: "POST",
    role: "reviewer",
    path: "/api/runs/{id}/verdicts",
    summary: "Accept a kind of change or a page, or say that it is a problem",
    params: byId,
    body: z.strictObject({ ...target, verdict, note: z.string().trim().max(2_000).default("") }),
    response: left.extend({
      given_at: timestamp.describe("When it was said; takes back exactly that where everything was meant"),
    }),
    errors: ["not_found", "invalid_input"],
  }),
  takeVerdictBack: endpoint({
    method: "POST",
    role: "reviewer",
    path: "/api/runs/{id}/verdicts/undo",
    summary: "Take back what was said",
    params: byId,
    // strict: with `given_at` misspelt, all verdicts would be taken back
    body: z.strictObject({
      ...target,
      given_at: timestamp
        .optional()
        .describe("Only what was said at that time, as the answer to it tells; what was said before stays"),
    }),
    response: left,
    errors: ["not_found", "invalid_input"],
  }),
  getBaseline: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testinstances/{id}/baseline",
    summary: "The last accepted snapshot of a page",
    params: byId,
    response: z.object({ snapshot_id: id.nullable() }),
    errors: ["not_found"],
  }),
} as const;
