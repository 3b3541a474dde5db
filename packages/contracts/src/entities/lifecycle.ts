import { z } from "zod";
import { id, timestamp } from "./vocabulary.js";

/**
 * What became of a page. `unlinked`: it answers, but no run finds it any more; `back`: found again; `flapping`: it changed or failed, and
 * was as before when it was looked at again.
 */
export const lifecycleKind = z.enum(["new", "gone", "unlinked", "moved", "back", "flapping"]);
export type LifecycleKind = z.infer<typeof lifecycleKind>;

/** An event in a page's life, as a run noticed it. */
export const lifecycleEntry = z
  .object({
    id,
    kind: lifecycleKind,
    instance: z.object({ id, name: z.string() }),
    run_id: id,
    url: z.string().describe("Its address at that time"),
    to_url: z.string().nullable().describe("Where it moved"),
    said: z.string().describe("How that is known, such as `HTTP 404`"),
    created_at: timestamp,
    undone_at: timestamp.nullable(),
    can_undo: z.boolean().describe("Its history followed it to the new address, which can be undone"),
  })
  .meta({ id: "LifecycleEntry" });
export type LifecycleEntry = z.infer<typeof lifecycleEntry>;
