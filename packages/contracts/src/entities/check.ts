import { z } from "zod";
import { limits } from "../limits.js";
import { startedBy } from "./schedule.js";
import { count, httpUrl, id, timestamp } from "./vocabulary.js";
import { nameText } from "../visible-text.js";

/** Kinds of pages that can make a check fail. */
export const checkFailKind = z.enum(["changed", "new", "gone", "failed"]);
export type CheckFailKind = z.infer<typeof checkFailKind>;

/**
 * `running`: its comparison has not ended; `waiting`: a person has to review it; `rejected`: a person called something a problem; `failed`:
 * it could not run.
 */
export const checkState = z.enum(["running", "waiting", "accepted", "rejected", "failed"]);
export type CheckState = z.infer<typeof checkState>;

export const checkDecision = z.enum(["accepted", "rejected"]);
export type CheckDecision = z.infer<typeof checkDecision>;

const word = (maxChars: number) => nameText().trim().min(1).max(maxChars).nullable().default(null);

/** What a pipeline sends to start a check. */
export const startedCheck = z.strictObject({
  against: nameText()
    .trim()
    .min(1)
    .max(limits.urlMaxChars)
    .default("baseline")
    .describe("What is compared with, in words"),
  fail_on: z.array(checkFailKind).default([...checkFailKind.options]),
  commit: word(200),
  branch: word(300),
  pipeline_url: httpUrl.nullable().default(null).describe("Where the pipeline is looked at"),
});
export type StartedCheck = z.infer<typeof startedCheck>;

/** A check of a release. */
export const releaseCheck = z
  .object({
    id,
    testobject: z.object({ id, name: z.string(), url: z.string() }),
    state: checkState,
    run_id: id
      .nullable()
      .describe("Its comparison, which is reviewed (GET /api/runs/{id}/review); null until it begins"),
    against: z.string(),
    fail_on: z.array(checkFailKind),
    commit: z.string().nullable(),
    branch: z.string().nullable(),
    pipeline_url: z.string().nullable(),
    started_by: startedBy,
    started_name: z.string().nullable().describe("The token or person that asked; null: nobody was asked for one"),
    pages: count,
    differing: count.describe("Pages that are changed, new or gone"),
    failed: count.describe("Pages that could not be fetched"),
    waiting: count.describe("Pages that somebody has to look at"),
    error: z.string().nullable().describe("Why it could not run"),
    note: z.string(),
    decided_by: z.string().nullable().describe("Who accepted or rejected it, or gave the last verdict of its review"),
    decided_at: timestamp.nullable(),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: "Check" });
export type ReleaseCheck = z.infer<typeof releaseCheck>;
