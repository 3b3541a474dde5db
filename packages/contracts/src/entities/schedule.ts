import { z } from "zod";
import { id, type ObjectOf, timestamp } from "./vocabulary.js";

/** What a schedule does: crawl the site, read its sitemaps, fetch all pages, or fetch those whose path matches. */
export const scheduledWork = z.enum(["crawl", "sitemaps", "fetch", "fetch-path"]);
export type ScheduledWork = z.infer<typeof scheduledWork>;

export const timeZone = z
  .string()
  .max(64)
  .refine(isZone, "Enter an IANA time zone, such as Europe/Berlin")
  .describe("IANA time zone");

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const minutesOfYear = 366 * 24 * 60;

/** When it is due: every given number of minutes counted from 1970-01-01 midnight UTC, or by a cron expression in a time zone. */
const timeOf = (object: ObjectOf) =>
  z.discriminatedUnion("type", [
    object({ type: z.literal("every"), minutes: z.int().min(1).max(minutesOfYear) }),
    object({
      type: z.literal("cron"),
      cron: z.string().trim().min(1).max(200).describe("Five fields: minute, hour, day, month, day of the week"),
      time_zone: timeZone,
    }),
  ]);
export type ScheduleTime = z.infer<ReturnType<typeof timeOf>>;

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Enter a time of day such as 09:30");

/** No run begins between these times of day; `until` may be on the next morning. Due times in between are skipped. */
const quietOf = (object: ObjectOf) => object({ from: timeOfDay, until: timeOfDay, time_zone: timeZone });
export type QuietHours = z.infer<ReturnType<typeof quietOf>>;

const fieldsOf = (object: ObjectOf) => ({
  work: scheduledWork,
  path: z
    .string()
    .trim()
    .max(1_000)
    .describe("fetch-path: the pages it fetches, as their path and query, `*` for anything"),
  time: timeOf(object),
  quiet: quietOf(object).nullable(),
  jitter_minutes: z
    .int()
    .min(0)
    .max(60)
    .describe("A run begins up to this much after its due time, so that many schedules are spread"),
  paused: z.boolean(),
});

function specOf(object: ObjectOf) {
  const fields = fieldsOf(object);
  return object({
    ...fields,
    path: fields.path.default(""),
    quiet: fields.quiet.default(null),
    jitter_minutes: fields.jitter_minutes.default(0),
    paused: fields.paused.default(false),
  });
}

/** The fields of a schedule that people set, as they are stored. */
export const scheduleSpec = specOf(z.object);
/** The same fields in a call (strict). */
export const scheduleInput = specOf(z.strictObject);
export type ScheduleInput = z.infer<typeof scheduleSpec>;

/** What a schedule does and when. Pausing does not make it another one. */
export const meaningOfSchedule = (spec: ScheduleInput): string =>
  JSON.stringify(scheduleSpec.omit({ paused: true }).parse(spec));

/** The fields of a schedule to change. */
export const schedulePatch = z.strictObject(fieldsOf(z.strictObject)).partial();

/** The result of a due time: a run was started, or why none was. */
export const dueOutcome = z.enum(["started", "overlapped", "nothing-to-do", "refused"]);
export type DueOutcome = z.infer<typeof dueOutcome>;

export const schedule = scheduleSpec.extend({
  id,
  testobject_id: id,
  words: z.string().describe("When it is due, as a person says it"),
  next: z.array(timestamp).describe("The next three due times; none while it is paused"),
  last: z
    .object({
      due_at: timestamp,
      outcome: dueOutcome,
      run_id: id.nullable(),
      said: z.string().describe("Why no run began; empty where one did"),
    })
    .nullable()
    .describe("The newest due time that passed"),
  created_at: timestamp,
});
export type Schedule = z.infer<typeof schedule>;

/** How a run was started. */
export const startedBy = z.enum(["person", "api", "cli", "schedule", "product"]);
export type StartedBy = z.infer<typeof startedBy>;

/** A run that a schedule is about to start. */
export const upcomingRun = z.object({
  schedule_id: id,
  testobject_id: id,
  object_name: z.string(),
  work: scheduledWork,
  due_at: timestamp,
});
export type UpcomingRun = z.infer<typeof upcomingRun>;
