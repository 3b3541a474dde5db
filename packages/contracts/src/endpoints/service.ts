import { z } from "zod";
import { stats } from "../entities.js";
import { endpoint } from "./endpoint.js";

/** Endpoints: service. */
export const serviceEndpoints = {
  getStats: endpoint({ method: "GET", path: "/api/stats", summary: "Sizes of the three stores", response: stats }),
  clearLogs: endpoint({
    method: "POST",
    path: "/api/stats/clear-logs",
    summary: "Empty the job log",
    response: z.object({ ok: z.literal(true) }),
    errors: ["unavailable"],
  }),
  getConfig: endpoint({
    method: "GET",
    path: "/config.json",
    summary: "Where the browser finds the API",
    response: z.object({ host: z.string(), port: z.int(), tls: z.boolean() }),
  }),
} as const;
