import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Sender } from "@web-tester/gateway/telling/sender";
import { type Sending, startSending } from "../support/sending.js";
import { until } from "../support/until.js";

/** How the messages of one channel follow one another. */
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

/** A sender whom nobody's clock tells to go on: only what has arrived does. */
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
