// @ts-check
import { randomUUID } from "node:crypto";
import { scheduleInput } from "@web-tester/contracts/entities/schedule";
import { openDatabase } from "@web-tester/platform/database/database";
import { takeDue } from "@web-tester/records/schedules/take-due";
import { dueTimes } from "@web-tester/watch/times/due-times";
import { firstDue } from "@web-tester/watch/times/first-due";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Every 50th attempt is killed. */
const killEvery = 50;
const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"];

/** Returns schedules as people make them: most daily at a full hour in their own zone, some several times a day, some weekly. */
export function schedulesOf(/** @type {number} */ count) {
  return Array.from({ length: count }, (_, index) => {
    const zone = zones[index % zones.length];
    const hour = index % 24;
    const cron =
      index % 10 < 6 ? `0 ${hour} * * *` : index % 10 < 9 ? `${index % 60} */12 * * *` : `30 2 * * ${index % 7}`;
    const time = { type: /** @type {const} */ ("cron"), cron, time_zone: zone };
    return scheduleInput.parse({ work: "fetch", time, jitter_minutes: index % 3 === 0 ? 10 : 0 });
  });
}

/**
 * Simulates some days with a clock that is years ahead, so that the product's own gateway, which runs too, finds no schedule due.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {import("@web-tester/contracts/entities/schedule").ScheduleInput[]} specs
 * @param {number} days
 * @param {AbortSignal} signal
 */
export async function liveDays({ database, addresses }, specs, days, signal) {
  // the week contains the last Sunday of October 2029, when European clocks go back
  const from = new Date("2029-10-25T00:00:00Z");
  const until = new Date(from.getTime() + days * dayMs);
  const { rows } = await database.query(
    "INSERT INTO test_object (name, url) VALUES ('Watched', 'http://watched.test/') RETURNING id",
  );
  const objectId = String(rows[0]?.id);
  const made = specs.map((spec) => ({ id: randomUUID(), spec, next: firstDue("", spec, from) }));
  const due = made.map(({ id, spec }) => firstDue(id, spec, from));
  await database.query(
    `INSERT INTO schedule (id, test_object_id, spec, due_at, begins_at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::jsonb[], $4::timestamptz[], $5::timestamptz[])`,
    [
      made.map(({ id }) => id),
      made.map(() => objectId),
      made.map(({ spec }) => JSON.stringify(spec)),
      due.map((one) => one?.dueAt ?? null),
      due.map((one) => one?.beginsAt ?? null),
    ],
  );
  let [tries, killed] = [0, 0];
  const takers = Array.from({ length: 3 }, () => openDatabase(addresses.DATABASE_URL, 2, () => undefined));
  const began = performance.now();
  for (let now = from; now <= until; now = new Date(now.getTime() + 5 * minuteMs)) {
    signal.throwIfAborted();
    await Promise.all(takers.map((db) => takeAll(db, now)));
  }
  const seconds = (performance.now() - began) / 1_000;
  await Promise.all(takers.map((db) => db.close()));

  /** @param {import("@web-tester/platform/database/database").Database} db @param {Date} now */
  async function takeAll(db, now) {
    for (;;) {
      try {
        const taken = await takeDue(db, {
          now,
          begin: async (tx, { objectId: of }) => {
            const [run] = await tx.query(
              "INSERT INTO run (test_object_id, kind, state, started_by, told) VALUES ($1, 'snapshot-all', 'finished', 'schedule', true) RETURNING id",
              [of],
            );
            if (++tries % killEvery === 0) throw new Error("killed");
            return { outcome: "started", runId: /** @type {{ id: string }} */ (run).id, said: "" };
          },
          next: ({ scheduleId, spec, dueAt }) => firstDue(scheduleId, spec, now > dueAt ? now : dueAt),
        });
        if (taken === null) return;
      } catch (error) {
        if (!(error instanceof Error) || error.message !== "killed") throw error;
        killed += 1;
      }
    }
  }

  const kept = await database.query("SELECT schedule_id, due_at, run_id FROM due_time");
  const seen = new Set(kept.rows.map((row) => `${row.schedule_id} ${row.due_at.toISOString()}`));
  const wanted = made.flatMap(({ id, spec }) =>
    dueTimes(spec, from, 100)
      // due times whose jitter may move the start past the end are left out
      .filter((time) => time.getTime() <= until.getTime() - 15 * minuteMs)
      .map((time) => `${id} ${time.toISOString()}`),
  );
  const [{ runs, distinct }] = (
    await database.query(
      `SELECT (SELECT count(*)::int FROM run WHERE started_by = 'schedule') AS runs, count(DISTINCT run_id)::int AS distinct FROM due_time`,
    )
  ).rows;
  return {
    expected: wanted.length,
    begun: wanted.filter((key) => seen.has(key)).length,
    missing: wanted.filter((key) => !seen.has(key)).length,
    doubled: runs - distinct + (kept.rows.length - seen.size),
    killed,
    seconds,
  };
}
