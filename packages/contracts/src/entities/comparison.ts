import { z } from "zod";
import { id, timestamp } from "./vocabulary.js";

/** A state of a site. `run`: as it was when that fetch had ended; `baseline`: what somebody accepted last, page by page. */
export const comparedSide = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("latest") }),
    z.object({ type: z.literal("previous") }),
    z.object({ type: z.literal("baseline") }),
    z.object({ type: z.literal("run"), run_id: id }),
    z.object({ type: z.literal("time"), at: timestamp }),
  ])
  .meta({ id: "ComparedSide" });
export type ComparedSide = z.infer<typeof comparedSide>;

/** What is compared: pages as they were, with pages as they are. */
export const comparisonInput = z.object({
  from: comparedSide
    .default({ type: "previous" })
    .describe("`previous`: for each page the snapshot before the one that it is compared with"),
  to: comparedSide.default({ type: "latest" }),
});
export type ComparisonInput = z.infer<typeof comparisonInput>;
