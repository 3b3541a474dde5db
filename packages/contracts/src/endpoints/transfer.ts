import { z } from "zod";
import { importJob, transferCounts } from "../entities/transfer.js";
import { id } from "../entities/vocabulary.js";
import { limits } from "../limits.js";
import { nameText } from "../visible-text.js";
import { byId, endpoint } from "./endpoint.js";

const flag = (byDefault: "true" | "false") => z.enum(["true", "false"]).default(byDefault);

/** Calls that export and import test objects. */
export const transferEndpoints = {
  exportData: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/export",
    summary:
      "All test objects, or one, with all their options but without passwords, as a file: JSON with the lists testObjects, testInstances and testSnapshots; an archive with the bytes as served; or a WACZ of one index",
    query: z.object({
      testObjectId: id.optional(),
      format: z
        .enum(["json", "archive", "wacz"])
        .default("json")
        .describe("archive: .tar.gz with assets; wacz: web archive, needs testObjectId"),
      idx: z.coerce
        .number()
        .int()
        .min(0)
        .max(limits.bulkDiffIndexMax)
        .default(0)
        .describe("For wacz: zero-based index, 0 = latest finished snapshot of each instance"),
    }),
    response: z.unknown(),
    produces: ["application/json", "application/gzip", "application/wacz+zip"],
    errors: ["not_found", "invalid_input"],
  }),
  importData: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/import",
    summary:
      "Read an export file (JSON, plain or gzip, or an archive), or a web archive (WARC, WACZ, or a ZIP of a CDX list and its captures) as history. Wrong files change nothing. async=false answers when all is written, async=true once the file is read and checked",
    query: z.object({
      async: flag("false"),
      name: nameText().max(limits.nameMaxChars).optional().describe("Of the file, for the list of imports"),
      testObjectId: id
        .optional()
        .describe("The test object whose history a web archive becomes; without it the site of its first page"),
    }),
    streamsBody: true,
    reads: [
      "application/json",
      "application/gzip",
      "application/x-tar",
      "application/warc",
      "application/wacz+zip",
      "application/zip",
    ],
    response: z.union([
      transferCounts.extend({ jobId: id, existing: transferCounts, notes: importJob.shape.notes }),
      z.object({ jobId: id }),
    ]),
    errors: ["invalid_input", "invalid_json", "payload_too_large", "unsupported_media_type", "conflict", "not_found"],
  }),
  listImports: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/imports",
    summary: "The last imports, newest first",
    response: z.object({ items: z.array(importJob) }),
  }),
  getImport: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/imports/{id}",
    summary: "One import with its progress and what was wrong with its file",
    params: byId,
    response: importJob,
    errors: ["not_found"],
  }),
  cancelImport: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/imports/{id}/cancel",
    summary: "Stop an import; objects that are written stay",
    params: byId,
    response: importJob,
    errors: ["not_found", "conflict"],
  }),
} as const;
