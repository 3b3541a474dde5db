import { z } from "zod";
import { testInstance } from "../entities/instance.js";
import { removal, undoSeconds } from "../entities/removal.js";
import { byId, endpoint } from "./endpoint.js";

/** Calls about instances, the pages of a test object. */
export const instancesEndpoints = {
  getTestInstance: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testinstances/{id}",
    summary: "One instance with its snapshots",
    params: byId,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(1000).default(100),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    response: testInstance,
    errors: ["not_found"],
  }),
  deleteTestInstance: endpoint({
    method: "DELETE",
    role: "operator",
    path: "/api/testinstances/{id}",
    summary: "Delete an instance with its snapshots",
    params: byId,
    query: z.strictObject({ undo_s: undoSeconds }),
    response: z.object({ deleted: z.int(), removal: removal.nullable() }),
    errors: ["not_found"],
  }),
} as const;
