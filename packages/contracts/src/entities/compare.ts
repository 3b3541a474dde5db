import { z } from "zod";
import { changedFact, changedFile, shownViewport } from "./snapshot.js";
import { contentForm, fetchModeUsed, id, timestamp, count, diffType } from "./vocabulary.js";

/**
 * One line of a difference. `marks`: the changed ranges of `text` in ascending order, in UTF-16 code units, end exclusive. `noEol`: it is
 * the last line, without a newline at its end.
 */
export const diffLine = z.object({
  kind: z.enum(["context", "removed", "added"]),
  text: z.string(),
  marks: z.array(z.tuple([z.int(), z.int()])).optional(),
  noEol: z.literal(true).optional(),
  ignored: z
    .string()
    .optional()
    .describe(
      "The change of this line does not count: id of the rule that says so, or empty where only white space differs",
    ),
});
export type DiffLine = z.infer<typeof diffLine>;
/** A changed place with the lines around it. `aStart` and `bStart`: number of its first line on each side, counted from 1. */
export const diffHunk = z.object({
  aStart: z.int(),
  aCount: count,
  bStart: z.int(),
  bCount: count,
  lines: z.array(diffLine),
});
export type DiffHunk = z.infer<typeof diffHunk>;
const diffSide = z.object({
  id,
  number: z.int().positive(),
  created_at: timestamp,
  html_bytes: count,
  lines: count.describe("Lines of the whole document"),
  fetch_mode_used: fetchModeUsed.nullable().optional().describe("How the page was loaded; missing for a file"),
});
export const diffHunks = z
  .object({
    by: diffType,
    as: contentForm.describe("The form that was compared; lines, hunks and counts are of it"),
    a: diffSide,
    b: diffSide,
    assets: z.boolean().describe("Both can be compared as pages: they have stored assets, and the object keeps them"),
    instance: z.object({ id, name: z.string(), url: z.string() }).describe("The instance of b"),
    testobject: z.object({ id, name: z.string() }),
    identical: z.boolean(),
    coarse: z.boolean().describe("A time, edit or memory limit was hit: correct, but not the smallest difference"),
    added: count.describe("Added units: lines, words or characters, as `by` says"),
    removed: count,
    changes: count.describe("Connected blocks of changed lines"),
    truncated: z.boolean().describe("Hunks beyond a million lines were left out; all counts are of the whole"),
    significant: count.optional().describe("Of `changes`, those that count; missing where no rule is in force"),
    ignored: count.optional().describe("Of `changes`, those in what rules leave out"),
    rules: z
      .array(z.object({ id, title: z.string() }))
      .optional()
      .describe("The rules in force"),
    notApplied: z
      .array(z.object({ rule: id, reason: z.string() }))
      .optional()
      .describe("Rules that could not be evaluated on these pages, and why: they count as not there"),
    hunks: z.array(diffHunk),
  })
  .meta({ id: "DiffHunks" });
export type DiffHunks = z.infer<typeof diffHunks>;
/**
 * A changed file of a page. Its addresses are those from which a browser loads the stored copies; if an API token is required, they are
 * signed and valid for some hours.
 */
export const changedFileView = changedFile
  .extend({
    before_bytes: count.nullable(),
    after_bytes: count.nullable(),
    before_address: z.string().nullable(),
    after_address: z.string().nullable(),
    is_text: z.boolean().describe("Both versions are text that can be compared line by line"),
  })
  .meta({ id: "ChangedFileView" });
export type ChangedFileView = z.infer<typeof changedFileView>;
/** How two snapshots of a page differ besides their HTML. */
export const diffBeside = z
  .object({
    facts: z.array(changedFact),
    files: z.array(changedFileView).describe("At most 1,000"),
    files_compared: z.boolean().describe("False where one of the two kept no files"),
  })
  .meta({ id: "DiffBeside" });
export type DiffBeside = z.infer<typeof diffBeside>;
/** The diff of a changed file's text. `html_bytes` of a side is the size of the file. */
export const fileDiff = diffHunks.extend({ file: changedFile }).meta({ id: "FileDiff" });
export type FileDiff = z.infer<typeof fileDiff>;
/** A changed file, and the pages that changed together with it. */
export const changedFileOfObject = z
  .object({
    ...changedFile.shape,
    pages: count.describe("Pages that changed with it"),
    sample: z
      .object({ instance: z.object({ id, name: z.string(), url: z.string() }), snapshot_id: id, compared_with: id })
      .nullable()
      .describe("The last of these changes whose older snapshot is still there"),
  })
  .meta({ id: "ChangedFileOfObject" });
export type ChangedFileOfObject = z.infer<typeof changedFileOfObject>;
export const pairDiff = z
  .object({
    snapshot1: z.object({ id, html: z.string() }),
    snapshot2: z.object({ id, html: z.string() }),
    assets: z.boolean().describe("Both snapshots have stored assets"),
    testobject_id: id,
  })
  .meta({ id: "PairDiff" });
const visualSide = z.object({
  id,
  number: z.int().positive(),
  created_at: timestamp,
  render: z.string().describe("Where the page is shown"),
  marked: z.string().describe("The same, with the words marked that the other side lacks"),
  viewport: shownViewport,
});
/** The two snapshots to compare as rendered pages. */
export const visualDiff = z
  .object({
    a: visualSide,
    b: visualSide,
    assets: z.boolean().describe("Both snapshots have stored assets"),
    instance: z.object({ id, name: z.string(), url: z.string() }).describe("The instance of b"),
    testobject: z.object({ id, name: z.string(), asset_snapshots: z.boolean() }),
  })
  .meta({ id: "VisualDiff" });
export type VisualDiff = z.infer<typeof visualDiff>;
export const visualText = z
  .object({
    added: count.describe("Words that only b shows"),
    removed: count.describe("Words that only a shows"),
    coarse: z.boolean(),
    truncated: z.boolean().describe("Some words are not marked, because there are too many"),
  })
  .meta({ id: "VisualText" });
export type VisualText = z.infer<typeof visualText>;
/** A rectangle in a picture, in pixels. */
export const pictureRegion = z
  .object({ x: count, y: count, width: count, height: count })
  .meta({ id: "PictureRegion" });
export type PictureRegion = z.infer<typeof pictureRegion>;
const picture = z
  .object({
    address: z.string().describe("Where the PNG is"),
    width: count,
    height: count,
    pageHeight: count.describe("Of the whole page; a taller page than the picture was cut"),
  })
  .meta({ id: "Picture" });
export const visualPictures = z
  .discriminatedUnion("state", [
    z.object({
      state: z.literal("compared"),
      a: picture,
      b: picture,
      mask: z.string().nullable().describe("A PNG as large as the larger page that is opaque where they differ"),
      differing: count.describe(
        "Pixels that look different: further apart than the threshold, or a large area that is fainter",
      ),
      unequal: count.describe("Pixels that are not the same colour, those included that do not look different"),
      pixels: count.describe("Pixels of the larger page"),
      regions: z.array(pictureRegion).describe("Where they differ, from the top"),
      regionsTotal: count,
    }),
    z.object({ state: z.literal("no-browser"), reason: z.string() }),
    z.object({ state: z.literal("failed"), reason: z.string() }),
  ])
  .meta({ id: "VisualPictures" });
export type VisualPictures = z.infer<typeof visualPictures>;
/** An instance that changed since a time, with the sum of its changes. */
export const instanceChanges = z
  .object({
    instance: z.object({ id, name: z.string(), url: z.string() }),
    changes: count.describe("Snapshots that differ from the one before"),
    linesAdded: count.describe("Summed over these changes"),
    linesRemoved: count,
    coarse: z.boolean().describe("One of the counts is an upper bound"),
    firstAt: timestamp,
    lastAt: timestamp,
    before: id.nullable().describe("The snapshot before the first change; null where it is gone"),
    last: id.describe("The snapshot of the last change"),
  })
  .meta({ id: "InstanceChanges" });
export type InstanceChanges = z.infer<typeof instanceChanges>;
const bulkSide = z.object({
  id,
  number: z.int().positive().describe("Position among the snapshots of the instance, 1 = oldest"),
  html: z.string().nullable().describe("Null where the pair is skipped, or where html=false was asked for"),
  thumbnail: z.string().describe("Where a small picture of the page is, as TestSnapshotSummary has it"),
});
/** One instance of a bulk diff, with its snapshots at the two requested indices (idx1 and idx2), each null when it has none there. */
export const bulkDiffEntry = z
  .object({
    instanceId: id,
    instanceName: z.string(),
    instanceUrl: z.string(),
    skipped: z.boolean(),
    skipReason: z.string().nullable(),
    changedBeside: z
      .boolean()
      .describe("Files, headers or the title of two snapshots in a row differ, whether or not their HTML does"),
    snapshotCount: count.describe("Finished snapshots of the instance"),
    snapshot1: bulkSide.nullable(),
    snapshot2: bulkSide.nullable(),
    assets: z.boolean().describe("Both snapshots have stored assets"),
    linesAdded: count
      .nullable()
      .describe("Null where this pair has not been counted: its snapshots do not follow one another"),
    linesRemoved: count.nullable(),
  })
  .meta({ id: "BulkDiffEntry" });
export type BulkDiffEntry = z.infer<typeof bulkDiffEntry>;
/** All instances of an object in this order: those that differ, those with too few snapshots to compare, those that are identical. */
export const bulkDiff = z
  .object({
    testobjectId: id,
    idx1: count,
    idx2: count,
    totalInstances: count,
    diffCount: count.describe("Instances whose two snapshots differ"),
    skippedCount: count.describe("All others: identical ones and those with too few snapshots"),
    identicalCount: count,
    linesAdded: count.nullable().describe("Of all pairs that differ; null where one of them has not been counted"),
    linesRemoved: count.nullable(),
    hasMore: z.boolean(),
    limit: z.int(),
    offset: z.int(),
    diffs: z.array(bulkDiffEntry),
    pageKeys: z.array(z.string()).optional().describe("Ids of the snapshots of this part that differ, A before B"),
    pagesHtml: z
      .array(z.object({ key: z.string(), html: z.string() }))
      .optional()
      .describe("Their HTML, under these keys"),
  })
  .meta({ id: "BulkDiff" });
export type BulkDiff = z.infer<typeof bulkDiff>;
