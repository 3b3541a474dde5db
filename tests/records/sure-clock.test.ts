import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Database } from "@web-tester/platform/database/database";
import { forgetAudit } from "@web-tester/records/audit/audit";
import { forgetDeliveries } from "@web-tester/records/deliveries/deliveries";
import { forgetEvents } from "@web-tester/records/events/select-events";
import { applyRetention } from "@web-tester/records/snapshots/apply-retention";
import { keepClock } from "@web-tester/records/installation/set-back";
import { firstDue } from "@web-tester/watch/times/first-due";
import { createWorkApart } from "@web-tester/worker/work-apart";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/**
 * A clock that is a year ahead for a while makes nothing too old: what is kept for days is still there once it is corrected. Nor does
 * anything wait until the clock is there again.
 */
let own: OwnDatabase;
let db: Database;
beforeAll(async () => {
  own = await startDatabase();
  ({ db } = own);
});
afterAll(() => own.stop());

const { signal } = new AbortController();
const onePage = "http://127.0.0.1:9/";

const look = async () => (await keepClock(db, { leaseMs: 10_000, firstDue }))?.went ?? null;

/** Looks at the clock and removes what is too old, as the product does. @returns where the clock went */
async function round(): Promise<"ahead" | "back" | null> {
  const went = await look();
  await applyRetention({ db, signal, onRemoved: () => undefined });
  await forgetAudit(db, 365);
  await forgetDeliveries(db, 90);
  await forgetEvents(db, 365);
  return went;
}

/** What all times in the database look like after its clock went ahead (`-1 year`) or back (`1 year`). */
async function shift(by: string): Promise<void> {
  const times = {
    ...{ test_snapshot: ["created_at"], audit_entry: ["created_at"], delivery: ["created_at"] },
    ...{ watch_event: ["created_at"], test_object: ["retention_checked_at"] },
    installation: ["clock_seen_at", "clock_jumped_at"],
  };
  for (const [table, columns] of Object.entries(times))
    await db.query(`UPDATE ${table} SET ${columns.map((name) => `${name} = ${name} + $1::interval`).join(", ")}`, [by]);
}

async function counts(): Promise<Record<string, number>> {
  const [row] = await db.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM test_snapshot) AS snapshots, (SELECT count(*)::int FROM audit_entry) AS audit,
       (SELECT count(*)::int FROM delivery) AS deliveries, (SELECT count(*)::int FROM watch_event) AS events`,
  );
  return row ?? {};
}
const all = { snapshots: 4, audit: 2, deliveries: 2, events: 2 };
/** The newest snapshot of a page and the newest event always stay. */
const withoutOld = { snapshots: 1, audit: 0, deliveries: 0, events: 1 };

beforeEach(async () => {
  for (const table of ["test_object", "audit_entry", "delivery", "watch_event", "channel"])
    await db.query(`DELETE FROM ${table}`);
  await db.query("UPDATE installation SET clock_seen_at = NULL, clock_jumped_at = NULL");
  const [page] = await db.query<{ id: string; object: string }>(
    `WITH o AS (INSERT INTO test_object (name, url, keep_days) VALUES ('Docs', $1, 30) RETURNING id)
     INSERT INTO test_instance (test_object_id, url, name, snapshots_total) SELECT id, $1, '', 4 FROM o RETURNING id, test_object_id AS object`,
    [onePage],
  );
  await db.query(
    `INSERT INTO test_snapshot (test_instance_id, number, state, created_at)
     SELECT $1, n, 'done', now() - (5 - n) * interval '1 day' FROM generate_series(1, 4) AS n`,
    [page?.id],
  );
  await db.query(
    `INSERT INTO audit_entry (actor_kind, actor, address, action, status, created_at)
     SELECT 'token', 'Vera', '127.0.0.1', 'crawlObject', 200, now() - n * interval '1 day' FROM generate_series(1, 2) AS n`,
  );
  await db.query(
    `WITH c AS (INSERT INTO channel (kind, name, settings, sealed) VALUES ('webhook', 'Hook', '{}', '') RETURNING id)
     INSERT INTO delivery (channel_id, state, sections, sentence, created_at) SELECT id, 'sent', '[]', '', now() - n * interval '1 day' FROM c, generate_series(1, 2) AS n`,
  );
  await db.query(
    `WITH r AS (INSERT INTO run (test_object_id, kind, state, finished_at) VALUES ($1, 'snapshot-all', 'finished', now()) RETURNING id)
     INSERT INTO watch_event (id, test_object_id, run_id, kind, pages_total, pages, created_at)
     SELECT n, $1, r.id, 'run-ended', 0, '[]', now() - (3 - n) * interval '1 day' FROM r, generate_series(1, 2) AS n`,
    [page?.object],
  );
});

test("nothing is removed while the clock is a year ahead, and the rules go on when it is right again", async () => {
  expect([await round(), await counts()]).toEqual([null, all]);
  await shift("-1 year");
  expect([await round(), await counts()]).toEqual(["ahead", all]);
  // it is said once
  expect([await round(), await counts()]).toEqual([null, all]);
  await shift("1 year");
  await db.query("UPDATE test_snapshot SET created_at = created_at - interval '27 days'");
  // the rules have been looked at at a time that is still to come
  expect([await round(), (await counts())["snapshots"]]).toEqual(["back", 2]);
});

test("a clock that jumps while a round is under way removes nothing either", async () => {
  await round();
  await shift("-1 year");
  await forgetAudit(db, 365);
  await forgetDeliveries(db, 90);
  await forgetEvents(db, 365);
  expect(await counts()).toEqual(all);
});

test("positive control: after a day the clock is taken for right, as after a long stop of the product", async () => {
  await round();
  await shift("-1 year");
  await round();
  await db.query("UPDATE installation SET clock_jumped_at = clock_jumped_at - interval '25 hours'");
  await db.query("UPDATE test_object SET retention_checked_at = NULL");
  expect([await round(), await counts()]).toEqual([null, withoutOld]);
});

/** The seconds from now at which things that a clock which was ahead has timed will go on; null for those without a time. */
async function waits(): Promise<Record<string, number | null>> {
  const inSeconds = (column: string) => `round(extract(epoch FROM ${column} - now()))::int`;
  const [row] = await db.query<Record<string, number | null>>(
    `SELECT (SELECT ${inSeconds("lease_until")} FROM test_snapshot WHERE state = 'running') AS lease,
       (SELECT ${inSeconds("queued_at")} FROM test_snapshot WHERE state = 'queued') AS queued,
       (SELECT ${inSeconds("begins_at")} FROM schedule WHERE spec -> 'time' ->> 'type' = 'every') AS hourly,
       (SELECT ${inSeconds("begins_at")} FROM schedule WHERE spec -> 'time' ->> 'type' = 'cron') AS yearly`,
  );
  return row ?? {};
}

/** So many seconds, or up to a minute less on a machine that was slow since they were counted. */
function expectAbout(seconds: number | null | undefined, counted: number): void {
  expect(seconds).toBeLessThanOrEqual(counted);
  expect(seconds).toBeGreaterThan(counted - 60);
}

async function writeWork(ahead: string): Promise<void> {
  await db.query(
    `UPDATE test_snapshot SET state = CASE number WHEN 4 THEN 'running' ELSE 'queued' END, queued_at = now() + $1::interval,
       lease_until = CASE number WHEN 4 THEN now() + $1::interval + interval '8 s' END WHERE number > 2`,
    [ahead],
  );
  await db.query("DELETE FROM test_snapshot WHERE number < 3");
  const spec = (time: object) => ({ work: "fetch", path: "", time, quiet: null, jitter_minutes: 0, paused: false });
  for (const [time, due] of [
    [{ type: "every", minutes: 60 }, `${ahead} 50 minutes`],
    [{ type: "cron", cron: "0 4 1 1 *", time_zone: "UTC" }, "2 minutes"],
  ] as const)
    await db.query(
      `INSERT INTO schedule (id, test_object_id, spec, due_at, begins_at) SELECT uuidv7(), id, $1::jsonb, now() + $2::interval, now() + $2::interval FROM test_object`,
      [JSON.stringify(spec(time)), due],
    );
}

test.each([["an hour"], ["a day"], ["a year"]])(
  "a clock that was ahead by %s: leases end, messages are sent again and schedules are due as if it had not been",
  async (what) => {
    const ahead = what.replace(/^an?/, "1");
    await writeWork(ahead);
    await db.query("UPDATE installation SET clock_seen_at = now() + $1::interval", [ahead]);
    expect((await waits())["lease"]).toBeGreaterThan(3_000);
    expect(await look()).toBe("back");
    const after = await waits();
    expectAbout(after["lease"], 10);
    expectAbout(after["queued"], 0);
    expect(after["hourly"]).toBeLessThanOrEqual(3_600);
    // what was not due meanwhile stays: its time was computed by the right clock
    expectAbout(after["yearly"], 120);
    expect(await look()).toBeNull();
  },
);

test.each([["1 hour"], ["1 year"]])("a clock that was ahead by %s between two looks: leases end too", async (ahead) => {
  await writeWork(ahead);
  await db.query("UPDATE installation SET clock_seen_at = now()");
  expect(await look()).toBeNull();
  expectAbout((await waits())["lease"], 10);
});

test("positive control: with a clock that goes on, leases and due times stay as they are", async () => {
  await writeWork("0 seconds");
  await db.query("UPDATE installation SET clock_seen_at = now() - interval '2 minutes'");
  expect(await look()).toBeNull();
  const after = await waits();
  expectAbout(after["lease"], 8);
  expectAbout(after["hourly"], 3_000);
  expectAbout(after["yearly"], 120);
});

test.each([
  ["a year", "1 year", 30_000],
  ["its usual time", "0 seconds", 8_000],
])("a message whose rows are held for %s is delivered again soon", async (_what, ahead, most) => {
  await writeWork(ahead);
  const rows = await db.query<{ id: string }>("SELECT id FROM test_snapshot WHERE state = 'running'");
  const ids = rows.map(({ id }) => id);
  const none = { claim: async () => [], work: async () => ({ done: true }) as const };
  const outcome = await createWorkApart()({ db, table: "test_snapshot", ids, ...none });
  const retryInMs = outcome.done ? 0 : outcome.retryInMs;
  expect(retryInMs).toBeLessThanOrEqual(most);
  expect(retryInMs).toBeGreaterThan(most - 5_000);
});
