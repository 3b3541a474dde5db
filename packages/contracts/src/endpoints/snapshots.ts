import { z } from "zod";
import { id, snapshotAsset, testSnapshot } from "../entities.js";
import { byId, endpoint } from "./endpoint.js";

/** Endpoints: snapshots. */
export const snapshotsEndpoints = {
  createTestSnapshot: endpoint({
    method: "POST",
    path: "/api/testsnapshots",
    summary: "Make a snapshot row; its fetch is asked for separately",
    body: z.object({ testinstance_id: id }),
    response: testSnapshot,
    errors: ["not_found", "conflict"],
  }),
  fetchTestSnapshot: endpoint({
    method: "POST",
    path: "/api/testsnapshots/{id}",
    summary: "Ask for the fetch of a snapshot that was made before; asking twice does it once",
    params: byId,
    query: z.object({ action: z.literal("fetch") }),
    response: z.object({ testsnapshotId: id, runId: id.nullable() }),
    errors: ["not_found", "conflict"],
  }),
  getTestSnapshot: endpoint({
    method: "GET",
    path: "/api/testsnapshots/{id}",
    summary: "One snapshot, or with _action=assets the list of its assets",
    params: byId,
    query: z.object({ _action: z.literal("assets").optional() }),
    response: z.union([testSnapshot, z.array(snapshotAsset)]),
    errors: ["not_found", "content_missing", "content_damaged"],
  }),
  getSnapshotLines: endpoint({
    method: "GET",
    path: "/api/testsnapshots/{id}/lines",
    summary: "A range of lines of a snapshot's HTML, 1-based and inclusive",
    params: byId,
    query: z.object({ from: z.coerce.number().int().min(1), to: z.coerce.number().int().min(1) }),
    response: z.object({ from: z.int(), lines: z.array(z.string()) }),
    errors: ["not_found", "invalid_input"],
  }),
} as const;
