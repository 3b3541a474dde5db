import { z } from "zod";
import { schedule, scheduleInput, schedulePatch, upcomingRun } from "../entities/schedule.js";
import { byId, endpoint } from "./endpoint.js";

/** Calls about schedules. */
export const schedulesEndpoints = {
  listSchedules: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/schedules",
    summary: "The schedules of a test object",
    params: byId,
    response: z.object({ items: z.array(schedule) }),
    errors: ["not_found"],
  }),
  createSchedule: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/schedules",
    summary: "Add a schedule that crawls, reads sitemaps or fetches at set times",
    params: byId,
    body: scheduleInput,
    response: schedule,
    errors: ["not_found", "invalid_input", "conflict"],
  }),
  previewSchedule: endpoint({
    method: "POST",
    role: "viewer",
    path: "/api/testobjects/{id}/schedules/preview",
    summary: "Describe a schedule in words, with its next due times; changes nothing",
    params: byId,
    body: scheduleInput,
    response: schedule.pick({ words: true, next: true }),
    errors: ["not_found", "invalid_input"],
  }),
  updateSchedule: endpoint({
    method: "PATCH",
    role: "operator",
    path: "/api/schedules/{id}",
    summary: "Change, pause or resume a schedule",
    params: byId,
    body: schedulePatch,
    response: schedule,
    errors: ["not_found", "invalid_input"],
  }),
  deleteSchedule: endpoint({
    method: "DELETE",
    role: "operator",
    path: "/api/schedules/{id}",
    summary: "Remove a schedule; its runs are kept",
    params: byId,
    response: z.object({ deleted: z.int() }),
    errors: ["not_found"],
  }),
  listAllSchedules: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/schedules",
    summary: "The schedules of all test objects: the next to run first, paused ones last",
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      skip: z.coerce.number().int().min(0).max(1_000_000).default(0),
    }),
    response: z.object({ items: z.array(schedule.extend({ object_name: z.string() })), total: z.int() }),
    errors: ["invalid_input"],
  }),
  listUpcomingRuns: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/schedules/upcoming",
    summary: "The next scheduled runs of all test objects",
    query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(10) }),
    response: z.object({ items: z.array(upcomingRun) }),
  }),
} as const;
