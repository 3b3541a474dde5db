import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { DigestSection } from "@web-tester/contracts/entities/digest";
import type { Sender } from "@web-tester/gateway/notifications/sender";
import { createSecretBox } from "@web-tester/platform/secrets/secret-box";
import { putChannel, selectChannels } from "@web-tester/records/channels/channels";
import { claimDelivery } from "@web-tester/records/deliveries/claim-delivery";
import { selectDeliveries } from "@web-tester/records/deliveries/deliveries";
import { type Sending, startSending } from "../support/sending.js";
import { until } from "../support/until.js";

/** The order in which the messages of one channel are sent. */
const messages = 12;
const going = new AbortController().signal;
let sending: Sending;

beforeAll(async () => {
  sending = await startSending(4);
});
afterAll(() => sending.stop());
beforeEach(async () => {
  await sending.reset();
  await sending.queue(messages);
});

/** Starts a sender without a timer: only a message that has arrived makes it go on. */
function startSender(): Sender {
  const sender: Sender = sending.sender(() => void sender.sendDue(going));
  return sender;
}

const states = async () =>
  Object.fromEntries(
    (
      await sending.own.db.query<{ state: string; count: number }>(
        "SELECT state, count(*)::int AS count FROM delivery GROUP BY state",
      )
    ).map(({ state, count }) => [state, count]),
  );

test("a message that arrived is followed by the next", async () => {
  const sender = startSender();
  await sender.sendDue(going);
  await until("all messages", async () => (await states())["sent"] === messages);
  await sender.stop();
  expect(new Set(sending.receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(messages);
  expect(sending.receiver.received).toHaveLength(messages);
});

test("one that did not arrive is not: a receiver in trouble is asked by the clock", async () => {
  sending.receiver.answers.set("/hook", { status: 503 });
  const sender = startSender();
  await sender.sendDue(going);
  await until("a try", async () => (await sending.own.db.query("SELECT FROM delivery WHERE status = 503")).length > 0);
  await sender.stop();
  expect(sending.receiver.received).toHaveLength(1);
  expect(await states()).toEqual({ queued: messages });
});

test("of a message whose sender fell silent the list says when it is tried again", async () => {
  const leftToTell = (sections: readonly DigestSection[]) => [...sections];
  await claimDelivery(sending.own.db, { leaseMs: 60_000, busy: [], leftToTell, listed: () => "" });
  const [held, ...others] = await selectDeliveries(sending.own.db, "sending", null, 50);
  expect(others).toEqual([]);
  const [row] = await sending.own.db.query<{ until: Date }>(
    "SELECT lease_until AS until FROM delivery WHERE state = 'sending' AND lease_until > now()",
  );
  expect(held?.next_at).toBe(row?.until.toISOString());
});

const box = createSecretBox(Buffer.alloc(32, 7));

test.each([
  ["another SECRET_KEY", () => Buffer.alloc(64, 1), /^A stored secret cannot be read.*SECRET_KEY/],
  ["no address, as after an import", () => Buffer.alloc(0), /^The channel has no address yet. Enter it/],
  [
    "something that nobody foresaw",
    (id: string) => box.seal("{}", `channel:${id}`),
    /^The message could not be sent. An error in the product/,
  ],
])("a message of a channel with %s fails in words and is tried later, not every minute for ever", async (...given) => {
  const [, sealed, words] = given;
  const [channel] = await selectChannels(sending.own.db);
  if (channel === undefined) throw new Error("there is no channel");
  await putChannel(sending.own.db, { ...channel, sealed: sealed(channel.id) });
  const sender = startSender();
  await sender.sendDue(going);
  await until("the try to end", async () => (await states())["sending"] === undefined);
  await sender.stop();
  const [tried] = (await selectDeliveries(sending.own.db, "queued", null, 50)).filter(({ attempts }) => attempts > 0);
  expect(tried).toMatchObject({ attempts: 1, status: null });
  expect(tried?.answer).toMatch(words);
  expect(sending.receiver.received).toEqual([]);
});

/** Returns the numbers of the messages in the order in which the receiver was asked to take them. */
const askedFor = async () => {
  const rows = await sending.own.db.query<{ id: string }>("SELECT id FROM delivery ORDER BY id");
  return sending.receiver.received.map(({ headers }) => rows.findIndex(({ id }) => id === headers["webhook-id"]));
};
const inAnHour = () => sending.own.db.query("UPDATE delivery SET next_at = now() + interval '1 hour'");

test("what did not arrive goes before what is newer, and the rest of it behind", async () => {
  await sending.reset();
  await sending.queue(3);
  await inAnHour();
  await sending.queue(1);
  const sender = startSender();
  await sender.sendDue(going);
  await until("all messages", async () => (await states())["sent"] === 4);
  await sender.stop();
  expect(await askedFor()).toEqual([0, 1, 2, 3]);
});

test("before a newer message is tried again, the oldest one is", async () => {
  await sending.reset();
  await sending.queue(2);
  const [oldest] = await sending.own.db.query<{ id: string }>("SELECT id FROM delivery ORDER BY id");
  await sending.own.db.query("UPDATE delivery SET next_at = now() + interval '1 hour' WHERE id = $1", [oldest?.id]);
  sending.receiver.answers.set("/hook", { status: 503 });
  const sender = startSender();
  await sender.sendDue(going);
  await until("a try", async () => (await sending.own.db.query("SELECT FROM delivery WHERE status = 503")).length > 0);
  sending.receiver.answers.clear();
  await sending.own.db.query("UPDATE delivery SET next_at = next_at - interval '1 minute'");
  await until("both", async () => {
    // on a busy machine the channel may not be free again yet after the first try
    await sender.sendDue(going);
    return (await states())["sent"] === 2;
  });
  await sender.stop();
  expect(await askedFor()).toEqual([1, 0, 1]);
});

test("a message says when it is sent, which is no sooner than its receiver asked for", async () => {
  const { db } = sending.own;
  const times = async () => (await selectDeliveries(db, null, null, messages)).map((one) => new Date(one.next_at ?? 0));
  const [due] = await times();
  await db.query("UPDATE channel SET held_until = now() + interval '1 day'");
  const [channel] = await db.query<{ until: Date }>("SELECT held_until AS until FROM channel");
  expect(await times()).toEqual(Array.from({ length: messages }, () => channel?.until));
  await db.query("UPDATE channel SET held_until = now() - interval '1 day'");
  expect(await times()).toContainEqual(due);
});

test("what one receiver asked for holds up no other that the channel is given", async () => {
  const { db } = sending.own;
  await db.query("UPDATE channel SET held_until = now() + interval '1 day'");
  const [channel] = await selectChannels(db);
  if (channel === undefined) throw new Error("there is no channel");
  const sender = startSender();
  await putChannel(db, { ...channel, name: "Renamed" });
  await sender.sendDue(going);
  expect(await states()).toEqual({ queued: messages });
  await putChannel(db, { ...channel, host: "other.test" });
  await sender.sendDue(going);
  await until("all messages", async () => (await states())["sent"] === messages);
  await sender.stop();
});

test("what is under way when a gateway stops has a moment to arrive, and nothing new is begun", async () => {
  sending.receiver.answers.set("/hook", "hang");
  const sender = startSender();
  await sender.sendDue(going);
  await until("the message has come", () => sending.receiver.received.length === 1);
  const stopped = sender.stop();
  sending.receiver.release();
  await stopped;
  expect(await states()).toEqual({ sent: 1, queued: messages - 1 });
  expect(sending.receiver.received).toHaveLength(1);
});
