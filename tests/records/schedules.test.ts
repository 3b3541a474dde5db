import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { type ScheduleInput, scheduleInput } from "@web-tester/contracts/entities/schedule";
import { takeDue } from "@web-tester/records/schedules/take-due";
import { insertSchedule } from "@web-tester/records/schedules/schedules";
import { dueTimes } from "@web-tester/watch/times/due-times";
import { firstDue } from "@web-tester/watch/times/first-due";
import { randomUUID } from "node:crypto";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** Several gateways take due times from one database, over a week of their clock, and are killed in the middle of it. */
let own: OwnDatabase;
let objectId = "";

beforeAll(async () => {
  own = await startDatabase();
  const [row] = await own.db.query<{ id: string }>(
    `INSERT INTO test_object (name, url) VALUES ('Watched', 'http://watched.test/') RETURNING id`,
  );
  objectId = row?.id ?? "";
});
afterAll(() => own.stop());
afterEach(() => own.db.query("DELETE FROM schedule"));

const schedules = (from: Date): Map<string, ScheduleInput> => {
  const specs = [
    { type: "every" as const, minutes: 180 },
    { type: "cron" as const, cron: "30 2 * * *", time_zone: "Europe/Berlin" },
    { type: "cron" as const, cron: "0 9 * * 1-5", time_zone: "America/New_York" },
    { type: "cron" as const, cron: "15 */6 * * *", time_zone: "Australia/Lord_Howe" },
  ].flatMap((time) => [0, 10].map((jitter) => scheduleInput.parse({ work: "fetch", time, jitter_minutes: jitter })));
  expect(specs.every((spec) => firstDue("a", spec, from) !== null)).toBe(true);
  return new Map(specs.map((spec) => [randomUUID(), spec]));
};

/** Takes one gateway's turn. @param dies whether it is killed in the middle of a transaction this time */
async function turn(now: Date, dies: () => boolean): Promise<number> {
  for (let taken = 0; ; taken++) {
    try {
      const done = await takeDue(own.db, {
        now,
        begin: async (tx, due) => {
          const [run] = await tx.query<{ id: string }>(
            `INSERT INTO run (test_object_id, kind, state, started_by) VALUES ($1, 'snapshot-all', 'finished', 'schedule') RETURNING id`,
            [due.objectId],
          );
          if (dies()) throw new Error("killed");
          return { outcome: "started", runId: run?.id ?? null, said: "" };
        },
        next: ({ scheduleId, spec, dueAt }) => firstDue(scheduleId, spec, now > dueAt ? now : dueAt),
      });
      if (done === null) return taken;
    } catch (error) {
      if (!(error instanceof Error) || error.message !== "killed") throw error;
      return taken;
    }
  }
}

test.each(["2026-03-26T00:00:00Z", "2026-10-22T00:00:00Z"])(
  "three gateways over the week from %s: each due time has one run, though they die",
  async (start) => {
    const from = new Date(start);
    const until = new Date(from.getTime() + 7 * 24 * 3_600_000);
    const made = schedules(from);
    for (const [id, spec] of made) await insertSchedule(own.db, id, objectId, spec, firstDue(id, spec, from));
    await own.db.query("DELETE FROM run");
    let turns = 0;
    // their clock advances by quarters of an hour, in which no schedule here is due twice
    for (let now = from; now <= until; now = new Date(now.getTime() + 15 * 60_000)) {
      const dies = () => ++turns % 5 === 0;
      await Promise.all([turn(now, dies), turn(now, dies), turn(now, dies)]);
    }
    await turn(until, () => false);
    for (const [id, spec] of made) {
      // what is due in the last quarter of an hour may begin after the end of the week
      const expected = dueTimes(spec, from, 200)
        .filter((time) => time.getTime() <= until.getTime() - 15 * 60_000)
        .map((time) => time.toISOString());
      const rows = await own.db.query<{ due_at: Date; run_id: string | null }>(
        "SELECT due_at, run_id FROM due_time WHERE schedule_id = $1 ORDER BY due_at",
        [id],
      );
      expect(rows.map((row) => row.due_at.toISOString()).slice(0, expected.length)).toEqual(expected);
      expect(rows.every((row) => row.run_id !== null)).toBe(true);
    }
    const [count] = await own.db.query<{ runs: number; times: number; distinct: number }>(
      `SELECT (SELECT count(*)::int FROM run WHERE started_by = 'schedule') AS runs, count(*)::int AS times,
              count(DISTINCT run_id)::int AS distinct FROM due_time`,
    );
    expect(count?.runs).toBe(count?.times);
    expect(count?.distinct).toBe(count?.times);
  },
);

test("what was missed while nothing ran is caught up by one run, and then goes on as planned", async () => {
  const spec = scheduleInput.parse({ work: "fetch", time: { type: "every", minutes: 60 } });
  const id = randomUUID();
  await insertSchedule(own.db, id, objectId, spec, firstDue(id, spec, new Date("2026-11-24T00:30Z")));
  await turn(new Date("2026-11-26T10:20Z"), () => false);
  expect(await own.db.query("SELECT due_at FROM due_time WHERE schedule_id = $1", [id])).toEqual([
    { due_at: new Date("2026-11-24T01:00Z") },
  ]);
  expect(await own.db.query("SELECT due_at FROM schedule WHERE id = $1", [id])).toEqual([
    { due_at: new Date("2026-11-26T11:00Z") },
  ]);
});

test("of what is due at once, a fetch of all pages goes before one of a path, which would keep it out", async () => {
  const made = new Map<string, string>();
  for (const [work, hour] of [
    ["fetch-path", 1],
    ["crawl", 2],
    ["fetch", 3],
  ] as const) {
    const spec = scheduleInput.parse({
      work,
      path: work === "fetch-path" ? "/news/*" : "",
      time: { type: "every", minutes: 60 },
    });
    const id = randomUUID();
    made.set(id, work);
    await insertSchedule(own.db, id, objectId, spec, firstDue(id, spec, new Date(`2026-11-24T0${hour}:30Z`)));
  }
  const now = new Date("2026-11-26T10:20Z");
  const begun: (string | undefined)[] = [];
  for (let taken = 0; taken < made.size; taken++)
    await takeDue(own.db, {
      now,
      begin: (_, { scheduleId }) => {
        begun.push(made.get(scheduleId));
        return Promise.resolve({ outcome: "nothing-to-do", runId: null, said: "" });
      },
      next: ({ scheduleId, spec }) => firstDue(scheduleId, spec, now),
    });
  expect(begun).toEqual(["crawl", "fetch", "fetch-path"]);
});
