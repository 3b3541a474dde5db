import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { scheduleInput } from "@web-tester/contracts/entities/schedule";
import { sealChannel } from "@web-tester/gateway/telling/channel-secret";
import { beginDueRuns } from "@web-tester/gateway/runs/due-runs";
import type { StartParts } from "@web-tester/gateway/runs/start-run";
import { Sender } from "@web-tester/gateway/telling/sender";
import type { SendingParts } from "@web-tester/gateway/telling/sending-parts";
import { createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress } from "@web-tester/platform/egress/egress";
import { createNames } from "@web-tester/platform/egress/names";
import { createLogger } from "@web-tester/platform/log/logger";
import { createSecretBox } from "@web-tester/platform/secrets/secret-box";
import { putChannel } from "@web-tester/records/channels/channels";
import { claimDelivery, queueDelivery } from "@web-tester/records/deliveries/deliveries";
import { selectWaitingWork } from "@web-tester/records/events/waiting-work";
import { insertSchedule } from "@web-tester/records/schedules/schedules";
import { randomUUID } from "node:crypto";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { until } from "../support/until.js";

/** Several gateways beside one another, also where the clocks of their machines differ by minutes. */
const channelId = "c0000000-0000-4000-8000-000000000002";
const minuteMs = 60_000;
const going = new AbortController().signal;
const log = createLogger("test", "silent");
const secrets = createSecretBox(Buffer.alloc(32, 7));
const policy = createAddressPolicy({ private: "deny", allow: ["127.0.0.1"], ownAddresses: () => [] });
const egress = createEgress(policy, { names: createNames() });
let own: OwnDatabase;
let receiver: Receiver;

beforeAll(async () => {
  [own, receiver] = await Promise.all([startDatabase(6), startReceiver()]);
});
afterAll(async () => {
  await Promise.all([egress.close(), receiver.close()]);
  await own.stop();
});

beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answers.clear();
  await own.db.query("DELETE FROM channel");
  await putChannel(own.db, {
    ...{ id: channelId, kind: "webhook", name: "Hook", settings: { to: [], chat: "", template: "" } },
    ...{ host: "127.0.0.1", enabled: true, fault: null },
    sealed: sealChannel(secrets, channelId, { url: `${receiver.url}/hook`, secret: `whsec_${"aa".repeat(16)}` }),
  });
});
afterEach(() => void jest.useRealTimers());

/** From now on this process' clock is wrong by so much; nothing else is. */
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

async function queue(count: number): Promise<void> {
  const none = () => ({ total: 0, pages: [] });
  for (let message = 0; message < count; message++)
    await queueDelivery(own.db, {
      ...{ channelId, routeId: null, sentence: `Message ${message}`, gatherUntil: null },
      section: {
        ...{ object: { id: channelId, name: "Shop", url: "http://shop.test/", link: "" }, run: null, changed: 0 },
        ...{ groups_total: 0, groups: [], strange: [], notes: [] },
        ...{ new: none(), gone: none(), moved: none(), unlinked: none(), failing: none(), recovered: none() },
      },
    });
}

const newSender = () =>
  new Sender(own.db, log, { egress, secrets, mail: null, publicUrl: "" } as unknown as SendingParts, () => undefined);

test("what one gateway is sending, another whose clock is minutes ahead does not send too", async () => {
  await queue(1);
  receiver.answers.set("/hook", "hang");
  const [right, ahead] = [newSender(), newSender()];
  await right.sendDue(going);
  await until("the message has come", () => receiver.received.length === 1);
  shiftClock(5 * minuteMs);
  await ahead.sendDue(going);
  expect(await own.db.query("SELECT state, attempts FROM delivery")).toEqual([{ state: "sending", attempts: 1 }]);
  await Promise.all([right.stop(), ahead.stop()]);
  expect(receiver.received).toHaveLength(1);
});

test("a message is not late where a gateway's clock is minutes behind", async () => {
  await queue(1);
  shiftClock(-5 * minuteMs);
  const behind = newSender();
  await behind.sendDue(going);
  await until("the message has come", () => receiver.received.length === 1);
  await behind.stop();
  expect(await own.db.query("SELECT state FROM delivery")).toEqual([{ state: "sent" }]);
});

test("gateways that look at once take one message of a channel, not one each", async () => {
  for (let round = 0; round < 15; round++) {
    await own.db.query("DELETE FROM delivery");
    await queue(6);
    const taken = await Promise.all(
      Array.from({ length: 6 }, () => claimDelivery(own.db, { leaseMs: minuteMs, busy: [] })),
    );
    expect(taken.filter((held) => held !== null)).toHaveLength(1);
  }
});

test("a schedule begins when its time has come, not when one gateway believes so", async () => {
  const parts = { db: own.db, log, bus: { logLine: () => undefined }, hostConcurrency: 1 } as unknown as StartParts;
  const [object] = await own.db.query<{ id: string }>(
    `INSERT INTO test_object (name, url) VALUES ('Watched', 'http://watched.test/') RETURNING id`,
  );
  const spec = scheduleInput.parse({ work: "fetch", time: { type: "every", minutes: 60 } });
  const soon = new Date(Date.now() + 2 * minuteMs);
  await insertSchedule(own.db, randomUUID(), object?.id ?? "", spec, { dueAt: soon, beginsAt: soon });
  shiftClock(5 * minuteMs);
  expect(await selectWaitingWork(own.db)).toMatchObject({ due: false });
  expect(await beginDueRuns(parts, going)).toBe(0);
  // and one behind begins it once it has come
  await own.db.query(`UPDATE schedule SET due_at = now(), begins_at = now()`);
  shiftClock(-10 * minuteMs);
  expect(await selectWaitingWork(own.db)).toMatchObject({ due: true });
  expect(await beginDueRuns(parts, going)).toBe(1);
  expect(await own.db.query(`SELECT outcome FROM due_time`)).toEqual([{ outcome: "nothing-to-do" }]);
});
