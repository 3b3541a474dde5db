import { z } from "zod";
import { comparedSide } from "./comparison.js";
import { run } from "./run.js";
import { changedFact } from "./snapshot.js";
import { count, id, pageFact, timestamp } from "./vocabulary.js";

export const verdict = z.enum(["accepted", "ignored", "problem"]);
export type Verdict = z.infer<typeof verdict>;
export const fingerprint = z.string().regex(/^[0-9a-f]{32}$/, "must be a fingerprint as the review names it");

/** A person's verdict on a change, and when it was given. */
export const saidVerdict = z.object({ verdict, note: z.string(), author: z.string(), at: timestamp });
export type SaidVerdict = z.infer<typeof saidVerdict>;

/** The kind of a page in a run; each page has exactly one. */
export const reviewKind = z.enum(["failed", "new", "gone", "changed", "ignored", "unchanged", "pending"]);
export type ReviewKind = z.infer<typeof reviewKind>;

const pageOf = z.object({ id, name: z.string(), url: z.string() });

/**
 * Where a kind of change is: in the page's content, in a file that it needs, in a header (or title, or robots), or in the status. `moved`: a
 * part of the content is the same, but elsewhere; `removed` and `added` are both that part. `rewritten`: pages with so many changes that they
 * are not told apart; `removed` and `added` are only the first change of one of these pages. `mode`: pages that were loaded over HTTP before and
 * in the browser now, or the other way round; `removed` and `added` likewise. `repaged`: entries of lists in pages that left one page of their list and
 * came to another one, with the same text; `added` is one of them.
 */
export const groupKind = z.enum(["content", "moved", "rewritten", "mode", "repaged", "file", "header", "status"]);
export type GroupKind = z.infer<typeof groupKind>;

/** One kind of change: all pages that changed in the same way. */
export const changeGroup = z
  .object({
    fingerprint: z.string(),
    kind: groupKind,
    pages: count,
    removed: z.string().describe("What went, of one of these pages; cut"),
    added: z.string().describe("What came; of a file its address"),
    otherwise: count.describe("Pages of which the same place changed in another way"),
    sample: z.object({ instance: pageOf, snapshot_id: id, compared_with: id.nullable() }),
    said: saidVerdict.nullable(),
  })
  .meta({ id: "ChangeGroup" });
export type ChangeGroup = z.infer<typeof changeGroup>;

/** What is to be reviewed in a run. */
export const runReview = z
  .object({
    run,
    testobject: z.object({ id, name: z.string() }),
    compared: z
      .object({ from: comparedSide, to: comparedSide })
      .nullable()
      .describe("What a comparison compares; null for a fetch, whose pages are compared with the snapshots before"),
    counts: z.record(reviewKind, count),
    new_failures: count.describe(
      "Failed pages that were fetched well the time before; pages that are gone (404, 410) count as gone, not as failed",
    ),
    with_files: count.describe("Changed pages of which files changed"),
    waiting: count.describe(
      "Changed pages of which nobody has said anything yet; of a comparison new pages and pages that are gone too",
    ),
    files: z
      .array(z.object({ url: z.string(), pages: count }))
      .describe("Files that changed, those of most pages first; at most 50"),
    facts: z
      .array(z.object({ fact: pageFact, pages: count }))
      .describe("What pages say differently beside their content: status, headers, title"),
    groups: z.array(changeGroup).describe("The kinds of change, those of most pages first"),
    groups_total: count,
  })
  .meta({ id: "RunReview" });
export type RunReview = z.infer<typeof runReview>;

/** A page of a run. */
export const reviewPage = z
  .object({
    instance: pageOf,
    kind: reviewKind,
    snapshot_id: id,
    compared_with: id.nullable(),
    changes: count.describe("Changed places that count"),
    ignored: count.describe("Changed places that rules leave out"),
    lines_added: count,
    lines_removed: count,
    files_changed: count,
    facts: z.array(changedFact),
    error: z.string().nullable(),
    http_status: z.int().nullable(),
    failing_since: timestamp
      .nullable()
      .describe("When the first of its failures in a row was; null where it did not fail"),
    said: saidVerdict.nullable().describe("Of this page; verdicts of its kinds of change stand with those"),
  })
  .meta({ id: "ReviewPage" });
export type ReviewPage = z.infer<typeof reviewPage>;
