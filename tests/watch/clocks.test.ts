import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { scheduleInput } from "@web-tester/contracts/entities/schedule";
import { beginDueRuns } from "@web-tester/gateway/runs/due-runs";
import type { StartParts } from "@web-tester/gateway/runs/start-run";
import { createLogger } from "@web-tester/platform/log/logger";
import { forgetAudit } from "@web-tester/records/audit/audit";
import { claimDelivery } from "@web-tester/records/deliveries/claim-delivery";
import { forgetDeliveries } from "@web-tester/records/deliveries/deliveries";
import { leftToTell } from "@web-tester/watch/digest/left-to-tell";
import { listed } from "@web-tester/watch/digest/sentence";
import { selectWaitingWork } from "@web-tester/records/events/waiting-work";
import { insertSchedule } from "@web-tester/records/schedules/schedules";
import { type Sending, startSending } from "../support/sending.js";
import { until } from "../support/until.js";

/** Several gateways work side by side, even if the clocks of their machines differ by minutes. */
const minuteMs = 60_000;
const going = new AbortController().signal;
const log = createLogger("test", "silent");
let sending: Sending;

beforeAll(async () => {
  sending = await startSending(6);
});
afterAll(() => sending.stop());
beforeEach(() => sending.reset());
afterEach(() => void jest.useRealTimers());

/** Makes the clock of this process, and nothing else, wrong by `byMs` from now on. */
function shiftClock(byMs: number): void {
  jest.useFakeTimers({
    now: Date.now() + byMs,
    advanceTimers: false,
    doNotFake: [
      ...(["hrtime", "nextTick", "performance", "queueMicrotask", "setImmediate", "clearImmediate"] as const),
      ...(["setInterval", "clearInterval", "setTimeout", "clearTimeout"] as const),
    ],
  });
}

test("what one gateway is sending, another whose clock is minutes ahead does not send too", async () => {
  await sending.queue(1);
  sending.receiver.answers.set("/hook", "hang");
  const [right, ahead] = [sending.sender(), sending.sender()];
  await right.sendDue(going);
  await until("the message has come", () => sending.receiver.received.length === 1);
  shiftClock(5 * minuteMs);
  await ahead.sendDue(going);
  expect(await sending.own.db.query("SELECT state, attempts FROM delivery")).toEqual([
    { state: "sending", attempts: 1 },
  ]);
  await Promise.all([right.stop(), ahead.stop()]);
  expect(sending.receiver.received).toHaveLength(1);
});

test("a message is not late where a gateway's clock is minutes behind", async () => {
  await sending.queue(1);
  shiftClock(-5 * minuteMs);
  const behind = sending.sender();
  await behind.sendDue(going);
  await until("the message has come", () => sending.receiver.received.length === 1);
  await behind.stop();
  expect(await sending.own.db.query("SELECT state FROM delivery")).toEqual([{ state: "sent" }]);
});

test("gateways that look at once take one message of a channel, not one each", async () => {
  for (let round = 0; round < 15; round++) {
    await sending.own.db.query("DELETE FROM delivery");
    await sending.queue(6);
    const taken = await Promise.all(
      Array.from({ length: 6 }, () =>
        claimDelivery(sending.own.db, { leaseMs: minuteMs, busy: [], leftToTell, listed }),
      ),
    );
    expect(taken.filter((held) => held !== null)).toHaveLength(1);
  }
});

const parts = () =>
  ({
    ...{ db: sending.own.db, log, hostConcurrency: 1 },
    bus: { logLine: () => undefined },
  }) as unknown as StartParts;

/** Adds a schedule that is due at a time. @returns its id */
async function addSchedule(dueAt: Date, more: object = {}): Promise<string> {
  const [object] = await sending.own.db.query<{ id: string }>(
    `INSERT INTO test_object (name, url) VALUES ('Watched', 'http://watched.test/') RETURNING id`,
  );
  const spec = scheduleInput.parse({ work: "fetch", time: { type: "every", minutes: 60 }, ...more });
  const id = randomUUID();
  await insertSchedule(sending.own.db, id, object?.id ?? "", spec, { dueAt, beginsAt: dueAt });
  return id;
}

test("what was due while nobody was there to begin it is not caught up in quiet hours, but behind them", async () => {
  const now = Math.floor(Date.now() / minuteMs);
  const at = (minutes: number) => new Date((now + minutes) * minuteMs);
  const clock = (time: Date) => time.toISOString().slice(11, 16);
  const quiet = { from: clock(at(-60)), until: clock(at(60)), time_zone: "UTC" };
  const dueAt = at(-90);
  const id = await addSchedule(dueAt, { quiet });
  await beginDueRuns(parts(), going);
  const state = () =>
    sending.own.db.query(
      `SELECT due_at, begins_at, (SELECT count(*)::int FROM due_time WHERE schedule_id = id) AS ended FROM schedule WHERE id = $1`,
      [id],
    );
  expect(await state()).toEqual([{ due_at: dueAt, begins_at: at(60), ended: 0 }]);
  await sending.own.db.query(
    `UPDATE schedule SET begins_at = now() - interval '1 s', spec = spec - 'quiet' WHERE id = $1`,
    [id],
  );
  await beginDueRuns(parts(), going);
  expect(await state()).toMatchObject([{ ended: 1 }]);
  await sending.own.db.query(`DELETE FROM schedule WHERE id = $1`, [id]);
});

test("a schedule begins when its time has come, not when one gateway believes so", async () => {
  await addSchedule(new Date(Date.now() + 2 * minuteMs));
  shiftClock(5 * minuteMs);
  expect(await selectWaitingWork(sending.own.db)).toMatchObject({ due: false });
  expect(await beginDueRuns(parts(), going)).toBe(0);
  // and a gateway whose clock is behind begins it once the time has come
  await sending.own.db.query(`UPDATE schedule SET due_at = now() - interval '1 s', begins_at = now() - interval '1 s'`);
  shiftClock(-10 * minuteMs);
  expect(await selectWaitingWork(sending.own.db)).toMatchObject({ due: true });
  expect(await beginDueRuns(parts(), going)).toBe(1);
  expect(await sending.own.db.query(`SELECT outcome FROM due_time`)).toEqual([{ outcome: "nothing-to-do" }]);
});

test("a gateway whose clock is years ahead forgets nothing early", async () => {
  await sending.queue(2);
  const { db } = sending.own;
  await db.query("UPDATE delivery SET state = 'sent'");
  const ago = "now() - interval '100 days'";
  await db.query(`UPDATE delivery SET created_at = ${ago} WHERE id = (SELECT min(id::text)::uuid FROM delivery)`);
  await db.query(
    `INSERT INTO audit_entry (actor, actor_kind, address, action, status, created_at)
     VALUES ('new', 'anybody', '127.0.0.1', 'x', 200, now()), ('old', 'anybody', '127.0.0.1', 'x', 200, ${ago})`,
  );
  shiftClock(3 * 365 * 24 * 60 * minuteMs);
  expect([await forgetDeliveries(db, 90), await forgetAudit(db, 90)]).toEqual([1, 1]);
  expect(await db.query("SELECT actor FROM audit_entry")).toEqual([{ actor: "new" }]);
});
