import { z } from "zod";
import { takenWithSchema } from "../visitor.js";
import { removal } from "./removal.js";
import { id, timestamp, count, snapshotState, changeKind, fetchModeUsed, pageFact } from "./vocabulary.js";

/** A file that differs between two snapshots of a page. Hashes are SHA-256 in hex. */
export const changedFile = z
  .object({
    change: z
      .enum(["changed", "added", "removed", "missing", "back"])
      .describe(
        "missing: the page still names it, and its server says that it is gone (404, 410); back: it said so before",
      ),
    url: z.string().describe("In the newer snapshot; of a removed file in the older one"),
    before_url: z
      .string()
      .nullable()
      .describe("Where its address in the older snapshot is another, as with app-3f2a.js and app-91bc.js"),
    kind: z.string().describe("What the page needs it for"),
    before: z
      .string()
      .nullable()
      .describe("Content in the older snapshot; null for an added file, and one that is back"),
    after: z.string().nullable().describe("Content in the newer snapshot; null for a removed or missing file"),
  })
  .meta({ id: "ChangedFile" });
export type ChangedFile = z.infer<typeof changedFile>;
/** A fact of a page besides its content that differs between two snapshots. */
export const changedFact = z
  .object({ fact: pageFact, before: z.string().nullable(), after: z.string().nullable() })
  .meta({ id: "ChangedFact" });
export type ChangedFact = z.infer<typeof changedFact>;

/** The browser window that a stored page is shown in. */
export const shownViewport = z
  .string()
  .describe(
    "Window that the page is shown in, such as 390x844@3 mobile: the one that it was taken with, where that is not known that of its object; empty: 1280x900",
  );

export const testSnapshotSummary = z
  .object({
    id,
    testinstance_id: id,
    number: z.int().positive().describe("Position among the snapshots of the instance, 1 = oldest"),
    created_at: timestamp,
    fetched_at: timestamp.nullable(),
    state: snapshotState,
    change: changeKind.nullable(),
    lines_added: count,
    lines_removed: count,
    files_changed: count.describe(
      "Files that differ from those of the snapshot before: changed, added or removed ones",
    ),
    facts_changed: z.array(pageFact).describe("What else differs from the snapshot before"),
    compared_with: id.nullable(),
    coarse: z.boolean().describe("The change counts are an upper bound: a limit of the differ was hit"),
    http_status: z.int().nullable(),
    final_url: z.string().nullable(),
    html_bytes: count.nullable(),
    html_sha256: z.string().nullable(),
    error_code: z.string().nullable(),
    error: z.string().nullable(),
    warning: z.string().nullable().describe("What was odd about a snapshot that was taken all the same"),
    attempts: count,
    duration_ms: count.nullable(),
    fetch_mode_used: fetchModeUsed
      .nullable()
      .describe("How the page was loaded; in browser mode the HTML is the DOM after scripts ran. Null before it was"),
    assets_total: count.describe("Files that the page needs, missing ones included"),
    assets_missing: count,
    thumbnail: z
      .string()
      .nullable()
      .describe(
        "Where a small picture of the page is, 320 pixels wide, drawn when it is first asked for; null where nothing was fetched; with an API token signed, and valid for some hours",
      ),
  })
  .meta({ id: "TestSnapshotSummary" });
export type TestSnapshotSummary = z.infer<typeof testSnapshotSummary>;
export const testSnapshot = testSnapshotSummary
  .extend({
    html: z.string(),
    headers: z.string().describe("JSON text, default '{}'; a header that came several times has a list"),
    redirects: z.array(z.object({ url: z.string(), status: z.int() })),
    charset: z.string().nullable(),
    changed_files: z.array(changedFile).describe("The first of those that files_changed counts, at most 100"),
    changed_facts: z.array(changedFact),
    taken_with: takenWithSchema
      .nullable()
      .describe(
        "Window, language and time zone that were chosen when it was fetched; null: not known, as the object says now",
      ),
    viewport: shownViewport,
    render: z
      .string()
      .nullable()
      .describe(
        "Where the page can be shown, null where nothing was fetched; with an API token signed, and valid for some hours",
      ),
    testinstance: z.object({ id, name: z.string(), url: z.string() }),
    testobject: z.object({ id, name: z.string(), asset_snapshots: z.boolean() }),
    removal: removal.nullable().describe("A deletion that takes this snapshot, unless it is undone"),
  })
  .meta({ id: "TestSnapshot" });
export type TestSnapshot = z.infer<typeof testSnapshot>;
export const snapshotAsset = z
  .object({
    id,
    url: z.string(),
    local_path: z.string().nullable().describe("Served at /api/assets/{local_path}; null where the file is missing"),
    content_type: z.string().describe("As the server said it; empty where it said nothing"),
    content_len: count,
    error: z
      .string()
      .nullable()
      .describe("Why the asset is missing, or what its server answered where it is shown all the same"),
    kind: z
      .enum(["stylesheet", "document", "sprite", "image", "font", "media", "icon", "script"])
      .describe("What the page needs it for"),
    address: z
      .string()
      .nullable()
      .describe(
        "Where a browser gets it as this snapshot shows it; with an API token signed, and valid for some hours",
      ),
  })
  .meta({ id: "SnapshotAsset" });
export type SnapshotAsset = z.infer<typeof snapshotAsset>;

const tracedSnapshot = z.object({ id, number: z.int(), created_at: timestamp });

/** The time for which a page has had a line or a text, or has not had it. */
export const textTrace = z.object({
  /** Whether the snapshot has the text. The fields below refer to having it, or to not having it. */
  present: z.boolean(),
  /** The line's text, or the requested text. */
  text: z.string(),
  /** The last earlier snapshot in which it is the other way round; null when there is none. */
  before: tracedSnapshot.nullable(),
  first: tracedSnapshot,
  last: tracedSnapshot,
  /** The first later snapshot in which it is the other way round; null when there is none. */
  after: tracedSnapshot.nullable(),
  /** The number of different versions of the page, and (below) how many of them were read. */
  versions: z.int(),
  reads: z.int(),
  passed: z
    .int()
    .describe(
      "Versions from first to last that were not read, and taken to be as those around them; 0: the answer is exact",
    ),
});
export type TextTrace = z.infer<typeof textTrace>;
