import { z } from "zod";
import { id, pageFact, rulesRunKind } from "./entities/vocabulary.js";

/** The paths of websockets: for test objects, and for the console. */
export const socketPaths = { objects: "/ws", console: "/ws/console" } as const;

/** The frames that a browser may send. Any other frame is answered with an `error` frame and changes nothing. */
export const clientFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("init"), role: z.string().max(64) }),
  z.object({ type: z.literal("subscribe"), testobjectId: id.optional(), roomId: z.string().max(200).optional() }),
  z.object({ type: z.literal("freshsubscribe"), roomId: z.string().max(200).optional() }),
  z.object({ type: z.literal("unsubscribe"), testobjectId: id.optional(), roomId: z.string().max(200).optional() }),
]);
export type ClientFrame = z.infer<typeof clientFrame>;

const count = z.int().nonnegative();
const counters = { testobjectId: id, runId: id, total: count, completed: count, failed: count, running: z.boolean() };

const failure = z.object({ testinstanceId: id, snapshotId: id, url: z.string(), message: z.string() });

/**
 * Events. Services publish them on the bus, and the gateway forwards them to browsers unchanged. Counters are totals, so a lost or repeated
 * event does no harm.
 */
export const productEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("snapshotAll:queued"), testobjectId: id, runId: id, created: count }),
  z.object({ type: z.literal("fetch:progress"), ...counters, changed: count }),
  z.object({
    type: z.literal("fetch:error"),
    testobjectId: id,
    ...failure.shape,
    more: z.array(failure).optional().describe("Other pages that failed at about the same time"),
  }),
  z.object({
    type: z.literal("crawl:progress"),
    ...counters,
    found: count,
    url: z.string().optional().describe("A page just visited"),
  }),
  z.object({
    type: z.literal("sitemaps:progress"),
    ...counters,
    found: count.describe("Distinct addresses that the sitemaps name"),
  }),
  z.object({
    type: z.literal("sitemaps:completed"),
    ...counters,
    found: count.describe("Distinct addresses that the sitemaps name"),
  }),
  z.object({
    type: z.literal("rules:progress"),
    ...counters,
    kind: rulesRunKind.optional().describe("Whether rules are evaluated or noise is searched for"),
  }),
  z.object({ type: z.literal("compare:progress"), ...counters, changed: count }),
  z.object({ type: z.literal("deleteAll:progress"), ...counters, mode: z.enum(["snapshots", "instances", "object"]) }),
  z.object({ type: z.literal("deleteAll:completed"), ...counters, mode: z.enum(["snapshots", "instances", "object"]) }),
  z.object({
    type: z.literal("snapshot:changed"),
    testobjectId: id,
    changes: z.array(
      z.object({
        testinstanceId: id,
        snapshotId: id,
        kind: z.enum(["first", "unchanged", "changed"]),
        linesAdded: count,
        linesRemoved: count,
        filesChanged: count.default(0),
        factsChanged: z.array(pageFact).default([]),
      }),
    ),
  }),
]);
export type ProductEvent = z.infer<typeof productEvent>;

/** Splits an event into single ones: failures that were sent together in one frame become one event each again. */
export function eventsIn(event: ProductEvent): ProductEvent[] {
  if (event.type !== "fetch:error" || event.more === undefined) return [event];
  const { more, ...first } = event;
  return [first, ...more.map((failed) => ({ type: first.type, testobjectId: first.testobjectId, ...failed }))];
}

/** One line of a background job: kept in the job log and shown in the live console. */
export const jobLine = z.object({
  id: z.string(),
  level: z.enum(["debug", "info", "warn", "error"]),
  message: z.string(),
  ts: z.number().describe("Milliseconds since 1970"),
  jobId: z.string(),
  _pid: z.int(),
  code: z.string().optional().describe("Which of the lines that have translations it is (`jobLines`)"),
  values: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .optional()
    .describe("What it is filled in with"),
});
export type JobLine = z.infer<typeof jobLine>;

/** The frames that the gateway sends. The first one is always `welcome`. */
export const serverFrame = z.union([
  productEvent,
  z.object({ type: z.literal("welcome"), pid: z.int() }),
  z.object({ type: z.literal("subscribed"), testobjectId: id.optional(), roomId: z.string().optional() }),
  z.object({ type: z.literal("unsubscribed"), testobjectId: id.optional(), roomId: z.string().optional() }),
  z.object({
    type: z.literal("console:history"),
    payload: z.object({ text: z.string().describe("JSON text of one job line per line") }),
  }),
  z.object({ type: z.literal("job:log"), payload: jobLine }),
  z.object({ type: z.literal("console:log"), payload: jobLine }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);
export type ServerFrame = z.infer<typeof serverFrame>;
