import { removal } from "./removal.js";
import { z } from "zod";
import { id, timestamp, count, fetchMode, instanceStatus, pageFact } from "./vocabulary.js";
import { shownViewport, testSnapshotSummary } from "./snapshot.js";

/** One bar of an instance's history. `size`: the number of changed lines. */
export const historyTick = z
  .object({ snapshot_id: id, status: instanceStatus, size: count })
  .meta({ id: "HistoryTick" });
export type HistoryTick = z.infer<typeof historyTick>;
export const testInstanceListItem = z
  .object({
    id,
    name: z.string(),
    url: z.string(),
    created_at: timestamp,
    snapshots_total: count,
    status: instanceStatus,
    http_status: z.int().nullable(),
    error: z.string().nullable().describe("Why the newest snapshot failed"),
    lines_added: count,
    lines_removed: count,
    files_changed: count.describe("Of the newest snapshot, where that changed"),
    facts_changed: z.array(pageFact),
    changes: count.describe("Changed places of the newest snapshot that count, where that changed"),
    ignored: count.describe("Changed places of the newest snapshot that rules leave out, where that changed"),
    last_snapshot_at: timestamp.nullable(),
    lifecycle: z
      .enum(["gone", "unlinked", "moved"])
      .nullable()
      .describe("What became of the page where it is not simply there"),
    lifecycle_at: timestamp.nullable().describe("Since when"),
    changed_at: timestamp.nullable().describe("When the newest change was found"),
    size_bytes: count.nullable().describe("Of the newest content that was fetched"),
    thumbnail: z.string().nullable().describe("Of the newest snapshot that was fetched, as TestSnapshotSummary has it"),
    history: z.array(historyTick).describe("Newest snapshots, oldest first, at most 14"),
  })
  .meta({ id: "TestInstanceListItem" });
export type TestInstanceListItem = z.infer<typeof testInstanceListItem>;
export const testInstance = z
  .object({
    id,
    name: z.string(),
    url: z.string(),
    created_at: timestamp,
    status: instanceStatus,
    testobject: z.object({
      id,
      name: z.string(),
      url: z.string(),
      asset_snapshots: z.boolean(),
      fetch_mode: fetchMode,
    }),
    preview: z
      .object({ snapshot_id: id, number: z.int().positive(), render: z.string(), viewport: shownViewport })
      .nullable()
      .describe(
        "The newest of these snapshots that can be shown as it looked, and where; with an API token signed, and valid for some hours",
      ),
    testsnapshots: z
      .array(testSnapshotSummary)
      .describe("Newest first, at most 100 unless paged; their HTML is loaded on opening"),
    snapshots_total: count,
    removal: removal.nullable().describe("A deletion that takes this page, or its snapshots, unless it is undone"),
  })
  .meta({ id: "TestInstance" });
export type TestInstance = z.infer<typeof testInstance>;
