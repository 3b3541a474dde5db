import { z } from "zod";
import {
  bulkDiff,
  changedFileOfObject,
  diffBeside,
  diffHunks,
  fileDiff,
  instanceChanges,
  pairDiff,
  visualDiff,
  visualPictures,
  visualText,
} from "../entities/compare.js";
import { diffType, formChoice, id, timestamp } from "../entities/vocabulary.js";
import { limits } from "../limits.js";
import { byId, endpoint, rawAnswer } from "./endpoint.js";
const snapshotRef = z.object({
  instance1: z.string().optional(),
  instance2: z.string().optional(),
  snapshot1: z.string().optional(),
  snapshot2: z.string().optional(),
  a: z.string().optional(),
  b: z.string().optional(),
});

/** Calls that compare snapshots: two of them, or all pages of an object. */
export const compareEndpoints = {
  getDiff: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/diff",
    summary:
      "Two snapshots to compare, by snapshot ids or by instances with snapshot ids or zero-based indices (0 = latest)",
    query: snapshotRef,
    response: pairDiff,
    errors: ["not_found", "invalid_input"],
  }),
  getDiffHunks: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/diff/hunks",
    summary: "The difference of two snapshots as hunks",
    query: snapshotRef.extend({
      as: formChoice
        .default("source")
        .describe(
          "source: as served. formatted: every element on a line, white space that means nothing folded. text: what a reader gets, with headings, links, alternative texts and the words on buttons. auto: formatted where a page's lines are long, else source",
        ),
      diffType: diffType.default("lines"),
      context: z.coerce.number().int().min(0).max(limits.maxContextLines).default(limits.defaultContextLines),
    }),
    response: diffHunks,
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  getDiffBeside: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/diff/files",
    summary: "How two snapshots differ beside their HTML: files, status, redirect target, headers, title",
    query: snapshotRef,
    response: diffBeside,
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  getFileDiff: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/diff/files/hunks",
    summary: "The difference of one file of two snapshots as hunks",
    query: snapshotRef.extend({
      url: z.string().max(4_000).describe("The file's address in the newer snapshot"),
      diffType: diffType.default("lines"),
      context: z.coerce.number().int().min(0).max(limits.maxContextLines).default(limits.defaultContextLines),
    }),
    response: fileDiff,
    errors: ["not_found", "invalid_input", "content_missing", "content_damaged", "unavailable"],
  }),
  listChangedFiles: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/changed-files",
    summary: "Files that changed since a time, those of most pages first",
    params: byId,
    query: z.object({
      since: timestamp.describe("Snapshots made at this time or later count"),
      limit: z.coerce.number().int().min(1).max(limits.instancesFetchLimit).default(limits.instancesPageSize),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    }),
    response: z.object({ since: timestamp, total: z.int(), items: z.array(changedFileOfObject) }),
    errors: ["not_found", "invalid_input"],
  }),
  listPagesOfFile: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/pages-of-file",
    summary: "The pages whose newest snapshot needs a file, by address",
    params: byId,
    query: z.object({
      hash: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .describe("SHA-256 of the file's content"),
      limit: z.coerce.number().int().min(1).max(limits.instancesFetchLimit).default(limits.instancesPageSize),
      cursor: z.string().max(4_000).optional().describe("nextCursor of the page before"),
    }),
    response: z.object({
      items: z.array(z.object({ id, name: z.string(), url: z.string() })),
      nextCursor: z.string().nullable().describe("Where the next page begins; null at the end"),
    }),
    errors: ["not_found", "invalid_input"],
  }),
  getVisualDiff: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/diff/visual",
    summary: "Two snapshots as pages to be looked at, plain and with their differing words marked",
    query: snapshotRef,
    response: visualDiff,
    errors: ["not_found", "invalid_input"],
  }),
  getVisualText: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/diff/visual/text",
    summary: "How many words of two pages differ",
    query: snapshotRef,
    response: visualText,
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  getVisualPictures: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/diff/visual/pictures",
    summary:
      "Two snapshots drawn by a browser and compared pixel by pixel; the first time takes as long as drawing both, later it is known",
    query: snapshotRef.extend({
      threshold: z.coerce
        .number()
        .min(0)
        .max(1)
        .default(limits.defaultPictureThreshold)
        .describe("How far two colours may be apart and still count as the same; 0: not at all"),
    }),
    response: visualPictures,
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  getPicture: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/pictures/{name}",
    summary: "A picture that a comparison of pictures named",
    params: z.object({ name: z.string().regex(/^[0-9a-f]{64}\.png$/) }),
    query: z.object({ expires: z.string().optional(), signature: z.string().optional() }),
    response: rawAnswer,
    produces: "image/png",
    errors: ["not_found", "content_missing", "content_damaged"],
  }),
  listChanges: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/changes",
    summary: "Instances that changed since a time, the latest change first: how often, how much, first and last time",
    params: byId,
    query: z.object({
      since: timestamp.describe("Snapshots made at this time or later count"),
      limit: z.coerce.number().int().min(1).max(limits.instancesFetchLimit).default(limits.instancesPageSize),
      cursor: id.optional().describe("nextCursor of the page before"),
    }),
    response: z.object({
      since: timestamp,
      total: z.int().describe("Instances that changed"),
      pending: z.int().describe("Snapshots of this time that are not compared yet; nothing of them is counted here"),
      changes: z.int(),
      linesAdded: z.int(),
      linesRemoved: z.int(),
      items: z.array(instanceChanges),
      nextCursor: id.nullable().describe("Where the next page begins; null at the end"),
    }),
    errors: ["not_found", "invalid_input"],
  }),
  getBulkDiff: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/bulk-diff",
    summary: "Every instance's snapshots at two zero-based indices (0 = latest), those that differ first",
    params: byId,
    query: z.object({
      idx1: z.coerce.number().int().min(0).max(limits.bulkDiffIndexMax),
      idx2: z.coerce.number().int().min(0).max(limits.bulkDiffIndexMax),
      limit: z.coerce.number().int().min(1).max(limits.bulkDiffMaxPageSize).default(limits.bulkDiffPageSize),
      offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
      html: z
        .enum(["true", "false"])
        .default("true")
        .describe("false: leave the HTML of both sides out, for callers that ask for hunks"),
      pages: z
        .enum(["none", "keys", "html"])
        .default("none")
        .describe("keys: name the snapshots that differ in pageKeys as well; html: with their HTML in pagesHtml"),
    }),
    response: bulkDiff,
    errors: ["not_found", "invalid_input", "payload_too_large", "content_missing", "content_damaged"],
  }),
} as const;
