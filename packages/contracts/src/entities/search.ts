import { z } from "zod";
import { errorBody } from "./error-body.js";
import { count, id, timestamp } from "./vocabulary.js";

/** What is searched: the HTML source, or the text that a reader of the page sees. */
export const searchScope = z.enum(["html", "text"]);
export type SearchScope = z.infer<typeof searchScope>;

/** A snapshot that contains the phrase. */
export const searchResult = z
  .object({
    testInstanceId: id,
    testInstanceName: z.string(),
    testInstanceUrl: z.string(),
    snapshotId: id,
    snapshotIndex: count.describe("Position among the finished snapshots of the instance, 0 = latest"),
    snapshotNumber: z.int().positive().describe("Position among all snapshots of the instance, 1 = oldest"),
    snapshotCreatedAt: timestamp,
    matchCount: z.int().positive(),
  })
  .meta({ id: "SearchResult" });
export type SearchResult = z.infer<typeof searchResult>;

const partial = z.string().nullable().describe("Why the answer is not complete and what to do, in words; null: it is");
const cursor = z.string().nullable().describe("Where the next page begins; null: this is the last");

/** The lines of a streamed answer, in order. */
export const searchFrame = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("progress"), searched: count, total: count }),
    z.object({
      type: z.literal("early"),
      items: z.array(searchResult).describe("What was found first, to be shown until the page comes"),
    }),
    z.object({ type: z.literal("page"), items: z.array(searchResult), cursor, partial, elapsedMs: count }),
    z.object({ type: z.literal("error"), error: errorBody }),
  ])
  .meta({ id: "SearchFrame" });
export type SearchFrame = z.infer<typeof searchFrame>;

/** How many times a phrase occurs in all snapshots of an object. */
export const searchSummary = z
  .object({
    matches: count,
    snapshots: count,
    instances: count,
    instancesTotal: count.describe("Pages that were searched"),
    partial,
  })
  .meta({ id: "SearchSummary" });
export type SearchSummary = z.infer<typeof searchSummary>;

const seen = z.object({ snapshotId: id, snapshotNumber: z.int().positive(), snapshotCreatedAt: timestamp });

/** A snapshot that has more or fewer matches than the finished snapshot before it. */
const phraseEvent = seen
  .extend({
    kind: z.enum(["added", "removed", "more", "fewer"]).describe("added: from none; removed: to none"),
    matchCount: count,
    matchCountBefore: count,
    previousId: id.nullable().describe("The finished snapshot before, to compare with"),
  })
  .meta({ id: "PhraseEvent" });

/** When a phrase appeared on a page and when it disappeared. */
export const phraseHistory = z
  .object({
    testInstanceId: id,
    testInstanceName: z.string(),
    testInstanceUrl: z.string(),
    snapshots: count.describe("Finished snapshots of the page"),
    snapshotsWith: count,
    present: z.boolean().describe("The latest finished snapshot has it"),
    first: seen,
    last: seen,
    events: z.array(phraseEvent).describe("Oldest first; the latest 100"),
    eventsTotal: count,
  })
  .meta({ id: "PhraseHistory" });
export type PhraseHistory = z.infer<typeof phraseHistory>;

export const phraseHistories = z
  .object({ items: z.array(phraseHistory), cursor, partial })
  .meta({ id: "PhraseHistories" });

/** The lines of one snapshot that contain the phrase. */
export const snapshotMatches = z
  .object({
    matches: count,
    lines: count.describe("Lines on which a match begins"),
    items: z.array(
      z.object({
        line: z.int().positive().describe("1-based; of the HTML, or of the visible text"),
        text: z.string().describe("The line, or the part of a long one around its first match"),
        cutStart: z.boolean(),
        cutEnd: z.boolean(),
        ranges: z.array(z.tuple([count, count])).describe("Start and end of each match in text, in UTF-16 units"),
      }),
    ),
  })
  .meta({ id: "SnapshotMatches" });
export type SnapshotMatches = z.infer<typeof snapshotMatches>;
