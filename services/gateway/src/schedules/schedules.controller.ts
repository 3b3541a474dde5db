import { randomUUID } from "node:crypto";
import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { type Schedule, type ScheduleInput, scheduleSpec } from "@web-tester/contracts/entities/schedule";
import { AppError } from "@web-tester/contracts/errors";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { databaseTime } from "@web-tester/platform/database/database-time";
import {
  deleteSchedule,
  insertSchedule,
  lockSchedule,
  selectAllSchedules,
  type ScheduleRow,
  selectSchedules,
  selectUpcoming,
  updateSchedule,
} from "@web-tester/records/schedules/schedules";
import { checkSchedule } from "@web-tester/watch/times/check-schedule";
import { describeSchedule } from "@web-tester/watch/times/describe-schedule";
import { dueTimes } from "@web-tester/watch/times/due-times";
import { firstDue } from "@web-tester/watch/times/first-due";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { invalidInput } from "../http/parse-input.js";
import { requireObject } from "../http/require-object.js";
import { DB } from "../parts.js";

/** The most schedules of one object; more would only be in each other's way. */
const schedulesMax = 20;
const shownTimes = 3;

/** Manages the schedules of objects; `DueRuns` begins their runs. */
@Controller()
export class SchedulesController {
  constructor(@Inject(DB) private readonly db: Database) {}

  @Handles("listSchedules")
  async list(@Parsed() { params }: Input<"listSchedules">): Promise<Response<"listSchedules">> {
    await requireObject(this.db, params.id);
    const rows = await selectSchedules(this.db, params.id);
    return { items: rows.map((row) => toSchedule(row, new Date())) };
  }

  @Handles("listAllSchedules")
  async all(@Parsed() { query }: Input<"listAllSchedules">): Promise<Response<"listAllSchedules">> {
    const { rows, total } = await selectAllSchedules(this.db, query.limit, query.skip);
    const now = new Date();
    return { items: rows.map((row) => ({ ...toSchedule(row, now), object_name: row.objectName })), total };
  }

  @Handles("createSchedule")
  async create(@Parsed() { params, body }: Input<"createSchedule">): Promise<Response<"createSchedule">> {
    const now = await databaseTime(this.db);
    requireRight(body, now);
    requirePathPlace(body.path, body.work);
    return this.db.transaction(async (tx) => {
      const [object] = await tx.query(`SELECT 1 FROM test_object WHERE id = $1 FOR NO KEY UPDATE`, [params.id]);
      if (object === undefined) throw notFound("test object", params.id);
      if ((await selectSchedules(tx, params.id)).length >= schedulesMax)
        throw new AppError("conflict", `This test object has ${schedulesMax} schedules already. Remove one first.`);
      const id = randomUUID();
      await insertSchedule(tx, id, params.id, body, firstDue(id, body, now));
      return toSchedule(await requireSchedule(tx, id), now);
    });
  }

  @Handles("previewSchedule")
  async preview(@Parsed() { params, body }: Input<"previewSchedule">): Promise<Response<"previewSchedule">> {
    await requireObject(this.db, params.id);
    const now = new Date();
    requireRight(body, now);
    requirePathPlace(body.path, body.work);
    return { words: describeSchedule(body), next: timesOf(body, now) };
  }

  @Handles("updateSchedule")
  async update(@Parsed() { params, body }: Input<"updateSchedule">): Promise<Response<"updateSchedule">> {
    const now = await databaseTime(this.db);
    return this.db.transaction(async (tx) => {
      const old = await requireSchedule(tx, params.id);
      const spec = scheduleSpec.parse({ ...old.spec, ...body });
      requireRight(spec, now);
      requirePathPlace(body.path, spec.work);
      await updateSchedule(tx, params.id, spec, isSameTime(old.spec, spec) ? old : firstDue(params.id, spec, now));
      return toSchedule(await requireSchedule(tx, params.id), now);
    });
  }

  @Handles("deleteSchedule")
  async remove(@Parsed() { params }: Input<"deleteSchedule">): Promise<Response<"deleteSchedule">> {
    await this.db.transaction(async (tx) => {
      await requireSchedule(tx, params.id);
      await deleteSchedule(tx, params.id);
    });
    return { deleted: 1 };
  }

  @Handles("listUpcomingRuns")
  async upcoming(@Parsed() { query }: Input<"listUpcomingRuns">): Promise<Response<"listUpcomingRuns">> {
    const rows = await selectUpcoming(this.db, query.limit);
    return {
      items: rows.map((row) => ({
        schedule_id: row.scheduleId,
        testobject_id: row.objectId,
        object_name: row.objectName,
        work: row.work,
        due_at: row.dueAt.toISOString(),
      })),
    };
  }
}

/** Whether two schedules are due at the same times: then a run that is already due, but to begin a little later, still begins. */
const isSameTime = (one: ScheduleInput, other: ScheduleInput): boolean => timingOf(one) === timingOf(other);
const timingOf = ({ time, quiet, jitter_minutes, paused }: ScheduleInput): string =>
  JSON.stringify([time, quiet, jitter_minutes, paused]);

async function requireSchedule(tx: Queryable, id: string): Promise<ScheduleRow> {
  const row = await lockSchedule(tx, id);
  if (row === null) throw notFound("schedule", id);
  return row;
}

/**
 * Checks a schedule.
 * @throws AppError invalid_input in words for whoever wrote it
 */
function requireRight(spec: ScheduleInput, now: Date): void {
  const fault = checkSchedule(spec, now);
  if (fault === null) return;
  const { field, ...words } = fault;
  throw invalidInput([{ path: `body.${field}`, ...words }]);
}

/**
 * Refuses a path together with work that would ignore it and fetch all pages.
 * @throws AppError invalid_input
 */
function requirePathPlace(path: string | undefined, work: ScheduleInput["work"]): void {
  if (path === undefined || path === "" || work === "fetch-path") return;
  throw invalidInput([{ path: "body.path", message: `is for the work “fetch-path”, not for “${work}”` }]);
}

const timesOf = (spec: ScheduleInput, now: Date): string[] =>
  dueTimes(spec, now, shownTimes).map((time) => time.toISOString());

function toSchedule({ id, objectId, spec, createdAt, last }: ScheduleRow, now: Date): Schedule {
  return {
    ...spec,
    id,
    testobject_id: objectId,
    words: describeSchedule(spec),
    next: spec.paused ? [] : timesOf(spec, now),
    last:
      last === null
        ? null
        : { due_at: last.dueAt.toISOString(), outcome: last.outcome, run_id: last.runId, said: last.said },
    created_at: createdAt.toISOString(),
  };
}
