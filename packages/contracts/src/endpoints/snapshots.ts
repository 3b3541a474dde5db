import { z } from "zod";
import { snapshotAsset, testSnapshot, textTrace } from "../entities/snapshot.js";
import { contentForm, id } from "../entities/vocabulary.js";
import { budgets } from "../limits.js";
import { byId, endpoint, rawAnswer } from "./endpoint.js";

/** Calls about snapshots, and the stored pages and files that belong to them. */
export const snapshotsEndpoints = {
  createTestSnapshot: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testsnapshots",
    summary: "Make a snapshot row; its fetch is asked for separately",
    body: z.object({ testinstance_id: id }),
    response: testSnapshot,
    errors: ["not_found", "conflict"],
  }),
  fetchTestSnapshot: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testsnapshots/{id}",
    summary: "Ask for the fetch of a snapshot that was made before; asking twice does it once",
    params: byId,
    query: z.object({ action: z.literal("fetch") }),
    response: z.object({ testsnapshotId: id, runId: id.nullable() }),
    errors: ["not_found", "conflict"],
  }),
  getTestSnapshot: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testsnapshots/{id}",
    summary: "One snapshot, or with _action=assets the list of its assets",
    params: byId,
    query: z.object({ _action: z.literal("assets").optional() }),
    response: z.union([testSnapshot, z.array(snapshotAsset)]),
    errors: ["not_found", "content_missing", "content_damaged"],
  }),
  getSnapshotLines: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testsnapshots/{id}/lines",
    summary: "A range of lines of a snapshot's HTML, or of one of its files, 1-based and inclusive",
    params: byId,
    query: z.object({
      from: z.coerce.number().int().min(1),
      to: z.coerce.number().int().min(1),
      file: z.string().max(4_000).optional().describe("The address of a stored file of the snapshot"),
      as: contentForm.default("source").describe("The form whose lines are asked for; files have their source only"),
    }),
    response: z.object({ from: z.int(), lines: z.array(z.string()) }),
    errors: ["not_found", "invalid_input", "content_missing", "content_damaged", "unavailable"],
  }),
  traceInSnapshots: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testsnapshots/{id}/trace",
    summary:
      "Between which snapshots of the page a line or a text of this one came and went. The six versions next to it in each direction are read one after the other, those behind in growing steps and then by halves: a change that was undone between two of these is not seen, and `passed` counts them",
    params: byId,
    query: z.object({
      as: contentForm.default("source").describe("The form that is looked at"),
      line: z.coerce.number().int().min(1).optional().describe("A line of this snapshot in that form, from 1"),
      text: z
        .string()
        .min(1)
        .max(1_000)
        .optional()
        .describe("A text in place of a line, upper and lower case told apart"),
    }),
    response: textTrace,
    errors: ["not_found", "invalid_input", "content_missing", "content_damaged", "unavailable"],
  }),
  renderTestSnapshot: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testsnapshots/{id}/render",
    summary:
      "The stored page as it looked, for a sandboxed frame: stored assets in place, nothing runs, nothing is fetched from outside",
    params: byId,
    query: z.object({
      preview: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional()
        .describe("An edited text in place of the stored one; see POST …/preview"),
      against: id.optional().describe("Another snapshot: words that it lacks are marked, as `marks` says"),
      marks: z.enum(["added", "removed"]).default("added"),
      expires: z.string().optional(),
      signature: z.string().optional(),
    }),
    response: rawAnswer,
    produces: "text/html",
    errors: ["not_found", "invalid_input", "content_missing", "content_damaged", "unavailable"],
  }),
  getThumbnail: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testsnapshots/{id}/thumbnail",
    summary:
      "A small picture of the stored page, drawn when it is first asked for; a single transparent pixel where it cannot be drawn",
    params: byId,
    query: z.object({ expires: z.string().optional(), signature: z.string().optional() }),
    response: rawAnswer,
    produces: "image/png",
    errors: ["not_found", "content_missing", "content_damaged", "unavailable"],
  }),
  previewTestSnapshot: endpoint({
    method: "POST",
    role: "viewer",
    path: "/api/testsnapshots/{id}/preview",
    summary:
      "Show an edited text of a snapshot with the snapshot's assets; it is kept for about an hour and changes nothing",
    params: byId,
    body: z.object({ html: z.string().max(budgets.htmlMaxBytes) }),
    response: z.object({ render: z.string().describe("Where the edited page can be shown") }),
    errors: ["not_found", "invalid_input", "payload_too_large"],
  }),
  getAsset: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/assets/{local_path}",
    summary: "A stored asset; media in ranges where asked for",
    params: z.object({ local_path: z.string().regex(/^[0-9a-f]{64}\.[a-z0-9]{1,5}$/) }),
    query: z.object({
      of: id.optional().describe("The asset's id: a stylesheet then names the stored copies of what it needs"),
      expires: z.string().optional(),
      signature: z.string().optional(),
    }),
    response: rawAnswer,
    produces: "application/octet-stream",
    errors: ["not_found", "content_missing", "content_damaged"],
  }),
} as const;
