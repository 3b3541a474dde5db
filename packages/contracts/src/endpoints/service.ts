import { z } from "zod";
import { stats } from "../entities/stats.js";
import { id } from "../entities/vocabulary.js";
import { endpoint } from "./endpoint.js";

/** Calls about the running product itself: sizes, job log, configuration and sample site. */
export const serviceEndpoints = {
  getStats: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/stats",
    summary: "Sizes of the three stores",
    response: stats,
  }),
  clearLogs: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/stats/clear-logs",
    summary: "Empty the job log",
    response: z.object({ ok: z.literal(true) }),
    errors: ["unavailable"],
  }),
  getConfig: endpoint({
    method: "GET",
    role: "public",
    path: "/config.json",
    summary: "Where the browser finds the API, and what it may show before it has asked",
    response: z.object({
      host: z.string(),
      port: z.int(),
      tls: z.boolean(),
      undo_s: z.int().default(0).describe("How long a deletion that is asked for in the browser can be undone"),
      sample: z.boolean().default(false).describe("Whether a sample site is offered"),
      disk_full: z
        .boolean()
        .default(false)
        .describe("Whether the disk of the data directory is full, where the product stores by itself"),
      provider: z
        .object({ name: z.string().nullable(), address: z.string().nullable(), email: z.string().nullable() })
        .default({ name: null, address: null, email: null })
        .describe("Who provides this installation, for the imprint"),
    }),
  }),
  createSample: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/sample",
    summary: "Register the sample site that this server brings; the one that is there already where it was",
    body: z.strictObject({}),
    response: z.object({ id, url: z.string(), created: z.boolean() }),
    errors: ["not_found"],
  }),
} as const;
