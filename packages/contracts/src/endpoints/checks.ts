import { z } from "zod";
import { checkDecision, releaseCheck, startedCheck } from "../entities/check.js";
import { id, timestamp } from "../entities/vocabulary.js";
import { nameText } from "../visible-text.js";
import { byId, endpoint } from "./endpoint.js";

/** Calls about checks of releases. */
export const checksEndpoints = {
  startCheck: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/checks",
    summary: "Begin a check of a release; its comparison is started and named afterwards (PATCH /api/checks/{id})",
    params: byId,
    body: startedCheck,
    response: releaseCheck,
    errors: ["not_found", "invalid_input"],
  }),
  updateCheck: endpoint({
    method: "PATCH",
    role: "operator",
    path: "/api/checks/{id}",
    summary: "Say which comparison a check is, or why it could not run",
    params: byId,
    // strict: with a misspelt field, `error` would fall back to null and erase the stored reason
    body: z.strictObject({
      run_id: id.optional().describe("Of a comparison of its test object"),
      error: z.string().trim().min(1).max(2_000).nullable().default(null),
    }),
    response: releaseCheck,
    errors: ["not_found", "invalid_input"],
  }),
  listChecks: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/checks",
    summary: "Checks of releases, newest first",
    query: z.object({
      testobject_id: id.optional(),
      branch: nameText().max(300).optional(),
      commit: z.string().max(200).optional().describe("Its beginning is enough"),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: id.optional().describe("nextCursor of the page before"),
    }),
    response: z.object({ items: z.array(releaseCheck), nextCursor: id.nullable() }),
    errors: ["invalid_input"],
  }),
  getCheck: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/checks/{id}",
    summary: "A check of a release",
    params: byId,
    response: releaseCheck,
    errors: ["not_found"],
  }),
  decideCheck: endpoint({
    method: "POST",
    role: "reviewer",
    path: "/api/checks/{id}/decision",
    summary: "Accept a check with all of its differences, or reject it",
    params: byId,
    body: z.strictObject({ decision: checkDecision, note: z.string().trim().max(2_000).default("") }),
    response: releaseCheck,
    errors: ["not_found", "invalid_input", "conflict"],
  }),
  getBadge: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/badge",
    summary: "When the address of the badge was made; null: it has none",
    params: byId,
    response: z.object({ created_at: timestamp.nullable() }),
    errors: ["not_found"],
  }),
  createBadge: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/badge",
    summary:
      "Make the address of a picture that says how the newest check ended, or another one in place of it; it is shown once and needs no token",
    params: byId,
    response: z.object({ url: z.string() }),
    errors: ["not_found"],
  }),
  deleteBadge: endpoint({
    method: "DELETE",
    role: "operator",
    path: "/api/testobjects/{id}/badge",
    summary: "Take the address of the badge away",
    params: byId,
    response: z.object({ deleted: z.int() }),
    errors: ["not_found"],
  }),
} as const;
