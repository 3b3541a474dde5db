import { z } from "zod";
import { limits } from "../limits.js";
import { id, timestamp } from "./vocabulary.js";

/** A state of a site. `run`: as it was when that fetch had ended; `label`: when the newest fetch of that label had; `baseline`: what somebody accepted last, page by page; `object`: the newest snapshots of another test object, pages matched by their path below its URL. */
export const comparedSide = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("latest") }),
    z.strictObject({ type: z.literal("previous") }),
    z.strictObject({ type: z.literal("baseline") }),
    z.strictObject({ type: z.literal("run"), run_id: id }),
    z.strictObject({ type: z.literal("label"), label: z.string().min(1).max(limits.runLabelMaxChars) }),
    z.strictObject({ type: z.literal("time"), at: timestamp }),
    z.strictObject({ type: z.literal("object"), testobject_id: id }),
  ])
  .meta({ id: "ComparedSide" });
export type ComparedSide = z.infer<typeof comparedSide>;

/** What of a page is compared. `text`: what a reader gets; `source`: its HTML; `files`: its pictures, styles and scripts; `status`: status, redirects and headers. */
export const comparedPart = z.enum(["text", "source", "files", "status"]);
export type ComparedPart = z.infer<typeof comparedPart>;

/** What is compared: pages as they were, with pages as they are. A misspelt side would be another one. */
export const comparisonInput = z.strictObject({
  from: comparedSide
    .default({ type: "previous" })
    .describe("`previous`: for each page the snapshot before the one that it is compared with"),
  to: comparedSide.default({ type: "latest" }),
  only: z
    .array(comparedPart)
    .min(1)
    .optional()
    .describe("What counts; all of it by default. What else differs is counted as ignored"),
});
export type ComparisonInput = z.infer<typeof comparisonInput>;
