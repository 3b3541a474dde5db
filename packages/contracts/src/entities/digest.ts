import { z } from "zod";
import { count, id, timestamp } from "./vocabulary.js";

/** The kinds of events that can be reported. */
export const eventKind = z.enum([
  "changed",
  "new",
  "gone",
  "moved",
  "unlinked",
  "failing",
  "recovered",
  "run-ended",
  "silent",
  "unusual",
]);
export type EventKind = z.infer<typeof eventKind>;

/** A page that a message names. */
export const toldPage = z.object({
  path: z.string().describe("Path and query"),
  url: z.string(),
  link: z.string().describe("Where its difference or history is shown"),
  snapshot_id: id.nullable().optional().describe("The snapshot that was told of"),
  said: z.string().default("").describe("What is to be said of it, such as `503, since 09:10, 4 times`"),
});
export type ToldPage = z.infer<typeof toldPage>;

/** Pages with an equal change, as one group. */
export const toldGroup = z.object({
  pages: count,
  kind: z
    .enum(["moved", "rewritten", "mode", "repaged"])
    .optional()
    .describe(
      "Set where the lines are no change of the content like others: `moved`, a part that is the same, but elsewhere; `rewritten`, the first of the many changes of one of these pages; `mode`, the first change of one of the pages that were loaded over HTTP before and in the browser now, or the other way round; `repaged`, one of the entries that moved to another page of their list, with the same text",
    ),
  removed: z.string().describe("A sample of the lines that went, shortened"),
  added: z.string().describe("A sample of the lines that came, shortened"),
  words: z
    .string()
    .optional()
    .describe(
      "What readers read of a part that came or went; set where its code begins with so many tags that nobody would see it",
    ),
  sample: toldPage,
});
export type ToldGroup = z.infer<typeof toldGroup>;

/** The first pages of a kind, and their total. */
export const toldPages = z.object({ total: count, pages: z.array(toldPage) });
export type ToldPages = z.infer<typeof toldPages>;

/** The findings of one run of an object. */
export const digestSection = z.object({
  object: z.object({ id, name: z.string(), url: z.string(), link: z.string() }),
  run: z
    .object({ id, link: z.string().describe("Where its review is"), kind: z.string(), finished_at: timestamp })
    .nullable(),
  changed: count.describe("Pages with a change that counts"),
  groups_total: count,
  groups: z.array(toldGroup).describe("The largest first"),
  new: toldPages,
  gone: toldPages,
  moved: toldPages,
  unlinked: toldPages,
  failing: toldPages,
  recovered: toldPages,
  strange: z
    .array(z.string())
    .default([])
    .describe("Sentences about what is not usual, such as that nothing changed for long"),
  notes: z.array(z.string()).describe("Other sentences, such as that the run ended"),
  leaves_out: z
    .literal(true)
    .optional()
    .describe("Set where the run found something, but nothing that this message is about"),
});
export type DigestSection = z.infer<typeof digestSection>;

/** The content of one message: about one run, or all runs of an hour, a day or a week. */
export const digest = z.object({
  id: id.describe("Stays the same however often it is sent"),
  time: timestamp,
  sections: z.array(digestSection).min(1),
});
export type Digest = z.infer<typeof digest>;
