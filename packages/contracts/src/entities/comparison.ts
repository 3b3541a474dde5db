import { z } from "zod";
import { limits } from "../limits.js";
import { id, timestamp } from "./vocabulary.js";
import { nameText } from "../visible-text.js";

/**
 * A state of a site. `run`: after that fetch had ended; `label`: after the newest fetch with that label had ended; `baseline`: the last
 * accepted snapshot of each page; `object`: the newest snapshots of another test object, with pages matched by their path below its URL.
 */
export const comparedSide = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("latest") }),
    z.strictObject({ type: z.literal("previous") }),
    z.strictObject({ type: z.literal("baseline") }),
    z.strictObject({ type: z.literal("run"), run_id: id }),
    z.strictObject({ type: z.literal("label"), label: nameText().min(1).max(limits.runLabelMaxChars) }),
    z.strictObject({ type: z.literal("time"), at: timestamp }),
    z.strictObject({ type: z.literal("object"), testobject_id: id }),
  ])
  .meta({ id: "ComparedSide" });
export type ComparedSide = z.infer<typeof comparedSide>;

/**
 * The parts of a page that are compared. `text`: what a reader sees; `source`: its HTML; `files`: its pictures, styles and scripts;
 * `status`: status, redirects and headers.
 */
export const comparedPart = z.enum(["text", "source", "files", "status"]);
export type ComparedPart = z.infer<typeof comparedPart>;

/** The two states to compare: pages as they were, and as they are. Strict: with a side misspelt, its default would be compared. */
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
