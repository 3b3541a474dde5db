import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { z } from "zod";
import { type Sending, startSending } from "../support/sending.js";
import { until } from "../support/until.js";

/** Messages that a route gathers until its time has come. */
const going = new AbortController().signal;
const gathered = { routeId: "d0000000-0000-4000-8000-000000000001", gatherUntil: new Date("2100-01-01T00:00Z") };
const post = z.object({
  data: z.object({ sections_total: z.int(), sections: z.array(z.object({ changed: z.int() })) }),
});
let sending: Sending;

beforeAll(async () => {
  sending = await startSending(4);
});
afterAll(() => sending.stop());
beforeEach(() => sending.reset());

const waiting = () =>
  sending.own.db.query<{ state: string; sections: number; at: Date }>(
    "SELECT state, jsonb_array_length(sections) AS sections, next_at AS at FROM delivery ORDER BY id",
  );

/** Makes all that is gathered due, and sends it. @returns for each message the number of its first run, and of how many runs it tells */
async function arrive(messages: number): Promise<[first: number | undefined, runs: number][]> {
  await sending.own.db.query("UPDATE delivery SET next_at = now()");
  const sender = sending.sender(() => void sender.sendDue(going));
  await sender.sendDue(going);
  await until("all messages", () => Promise.resolve(sending.receiver.received.length === messages));
  await sender.stop();
  return sending.receiver.received.map(({ body }) => {
    const { sections, sections_total: total } = post.parse(JSON.parse(body)).data;
    return [sections[0]?.changed, total];
  });
}

test("what is more than a message holds is in another one: nothing is left out", async () => {
  await sending.queue(120, gathered);
  expect(await arrive(3)).toEqual([
    [0, 50],
    [50, 50],
    [100, 20],
  ]);
});

test("a full message waits for its time, also where others of its channel arrive", async () => {
  await sending.queue(60, gathered);
  await sending.queue(1);
  const sender = sending.sender(() => void sender.sendDue(going));
  await sender.sendDue(going);
  await until("the one that is due", () => Promise.resolve(sending.receiver.received.length === 1));
  await sender.stop();
  const left = (await waiting()).filter(({ state }) => state === "gathering");
  expect(left.map(({ sections, at }) => [sections, at])).toEqual([
    [50, gathered.gatherUntil],
    [10, gathered.gatherUntil],
  ]);
});

test("several that add at once to a full message leave out nothing and gather in one", async () => {
  await sending.queue(50, gathered);
  await Promise.all([1, 2, 3, 4].map(() => sending.queue(1, gathered)));
  expect((await waiting()).map(({ sections }) => sections)).toEqual([50, 4]);
});
