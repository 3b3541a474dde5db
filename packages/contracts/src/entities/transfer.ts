import { z } from "zod";
import { count, id, timestamp } from "./vocabulary.js";

/** The numbers of rows in the three lists of an export file. */
export const transferCounts = z
  .object({ objects: count, instances: count, snapshots: count })
  .meta({ id: "TransferCounts" });
export type TransferCounts = z.infer<typeof transferCounts>;
/** The lists of an export file, parents first. */
export const transferList = z.enum(["testObjects", "testInstances", "testSnapshots"]);
export type TransferList = z.infer<typeof transferList>;
/** A fault in an import file, or in one of its records. */
export const importFault = z
  .object({
    list: transferList.nullable().describe("Null where the fault is not one record's"),
    record: count.nullable().describe("Position in its list, 1 = first"),
    line: count.nullable().describe("Line of the file on which the record begins, 1 = first"),
    message: z.string(),
  })
  .meta({ id: "ImportFault" });
export type ImportFault = z.infer<typeof importFault>;
/** `reading`: the file is being received, and nothing of it is visible yet. `applying`: its objects are written, one after the other. */
export const importState = z.enum(["reading", "applying", "finished", "failed", "cancelled"]);
export const importJob = z
  .object({
    id,
    name: z.string().nullable().describe("Of the file, as the sender called it"),
    state: importState,
    bytes: count.describe("Read so far"),
    bytes_total: count.nullable(),
    total: count.describe("Records of the file, as far as it is read"),
    completed: count.describe("Records done with"),
    imported: transferCounts.describe("Rows that were not there before"),
    existing: transferCounts.describe("Records that were there already"),
    faults: z.array(importFault).describe("At most 100"),
    faults_total: count,
    error: z
      .string()
      .nullable()
      .describe("Why it failed; while it is being written: why the last try failed, and that there is another"),
    notes: z.array(z.string()).describe("What is left for a person to do, in sentences; at most 100"),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: "ImportJob" });
export type ImportJob = z.infer<typeof importJob>;
