import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { DigestSection } from "@web-tester/contracts/entities/digest";
import type { Cadence } from "@web-tester/contracts/entities/notifications";
import { claimDelivery } from "@web-tester/records/deliveries/claim-delivery";
import { dropGathered, endTry, queueDelivery, sendAgain } from "@web-tester/records/deliveries/deliveries";
import { leftToTell } from "@web-tester/watch/digest/left-to-tell";
import { listed } from "@web-tester/watch/digest/sentence";
import { z } from "zod";
import { exampleSection, type Sending, startSending } from "../support/sending.js";
import { until } from "../support/until.js";

/** Routes of one channel that overlap tell it the same change once, whichever of their messages arrives first. */
const going = new AbortController().signal;
const channelId = "c0000000-0000-4000-8000-000000000001";
const [routeA, routeB] = ["d0000000-0000-4000-8000-00000000000a", "d0000000-0000-4000-8000-00000000000b"];
const claiming = { leaseMs: 60_000, busy: [], leftToTell, listed };
const post = z.object({ data: z.object({ sections: z.array(z.object({ object: z.object({ name: z.string() }) })) }) });
let sending: Sending;

beforeAll(async () => {
  sending = await startSending(8);
});
afterAll(() => sending.stop());
beforeEach(() => sending.reset());

/** What a run on a site found. */
const found = (site: "X" | "Y" | "Z", run = 1): DigestSection => ({
  ...exampleSection(1),
  object: { id: channelId, name: site, url: `http://${site}.test/`, link: "" },
  run: {
    id: `e0000000-0000-4000-8000-0000000${run}00${site.charCodeAt(0)}`,
    ...{ link: "", kind: "snapshot-all", finished_at: new Date(0).toISOString() },
  },
});

/** Gathers messages, one for each route. */
async function gather(
  routes: Record<string, DigestSection[]>,
  cadences: Record<string, Cadence["type"]> = {},
): Promise<void> {
  for (const [routeId, sections] of Object.entries(routes))
    for (const section of sections)
      await queueDelivery(sending.own.db, {
        ...{ channelId, routeId, cadence: cadences[routeId] ?? "daily", section, sentence: listed([section]) },
        gatherUntil: new Date("2100-01-01T00:00Z"),
      });
}
const makeDue = (routeId: string | null = null) =>
  sending.own.db.query("UPDATE delivery SET next_at = now() WHERE $1::uuid IS NULL OR route_id = $1", [routeId]);

const rows = () =>
  sending.own.db.query<{ id: string; state: string; sentence: string; answer: string }>(
    "SELECT id, state, sentence, answer FROM delivery ORDER BY id",
  );
const states = async () => (await rows()).map(({ state }) => state);

/** Sends all that is due. @returns the names of the sites of each message that the receiver has got */
async function send(): Promise<string[]> {
  const sender = sending.sender(() => void sender.sendDue(going));
  await sender.sendDue(going);
  await until("the end of what is due", async () => {
    const waiting =
      "SELECT FROM delivery WHERE (state = 'sending' AND lease_until > now()) OR (state IN ('gathering', 'queued', 'sending') AND next_at <= now())";
    return (await sending.own.db.query(waiting)).length === 0;
  });
  await sender.stop();
  return sending.receiver.received.map(({ body }) =>
    post
      .parse(JSON.parse(body))
      .data.sections.map(({ object }) => object.name)
      .join(),
  );
}

test("of two digests that tell the same one is sent, and the other one says why it is not", async () => {
  await gather({ [routeA]: [found("X"), found("Y")], [routeB]: [found("X"), found("Y")] });
  await makeDue();
  expect(await send()).toEqual(["X,Y"]);
  expect((await rows()).map(({ state, answer }) => [state, answer])).toEqual([
    ["sent", ""],
    ["told", "Other messages have told this channel all of it."],
  ]);
});

test("of two that overlap the later one tells the rest, whichever comes first", async () => {
  await gather({ [routeA]: [found("X"), found("Y")], [routeB]: [found("Y"), found("Z")] });
  await makeDue(routeB);
  expect(await send()).toEqual(["Y,Z"]);
  await makeDue();
  expect(await send()).toEqual(["Y,Z", "X"]);
  expect((await rows()).map(({ sentence }) => sentence)).toEqual([
    "X: 1 page changed",
    "Y: 1 page changed · Z: 1 page changed",
  ]);
});

test("a summary in another rhythm is whole", async () => {
  await gather({ [routeA]: [found("X")], [routeB]: [found("X"), found("Y")] }, { [routeB]: "weekly" });
  await makeDue();
  expect(await send()).toEqual(["X", "X,Y"]);
});

test("what another run found, or what belongs to no run, is told again", async () => {
  await gather({ [routeA]: [found("X"), exampleSection(1)], [routeB]: [found("X", 2), exampleSection(1)] });
  await makeDue();
  expect(await send()).toEqual(["X,Shop", "X,Shop"]);
});

test("nothing is lost with a route that ends, or a message that is given up", async () => {
  await gather({ [routeA]: [found("X")], [routeB]: [found("X")] });
  await dropGathered(sending.own.db, routeA);
  await makeDue();
  expect(await send()).toEqual(["X"]);
  await sending.reset();
  await gather({ [routeA]: [found("X")], [routeB]: [found("X")] });
  await sending.own.db.query("UPDATE delivery SET state = 'dead', next_at = NULL WHERE route_id = $1", [routeA]);
  await makeDue(routeB);
  expect(await send()).toEqual(["X"]);
  expect(await states()).toEqual(["dead", "sent"]);
});

test("one that failed is not tried again once another has told all of it", async () => {
  await gather({ [routeA]: [found("X")], [routeB]: [found("X")] });
  await makeDue(routeA);
  sending.receiver.answers.set("/hook", { status: 503 });
  await send();
  sending.receiver.answers.clear();
  await makeDue(routeB);
  expect(await send()).toEqual(["X", "X"]);
  await makeDue(routeA);
  expect(await send()).toHaveLength(2);
  expect(await states()).toEqual(["told", "sent"]);
});

test.each(["the one that was sent", "the one that was not"])("sent again, %s tells all", async (which) => {
  await gather({ [routeA]: [found("X")], [routeB]: [found("X")] });
  await makeDue();
  expect(await send()).toEqual(["X"]);
  const [first, second] = await rows();
  const again = (which.endsWith("not") ? second : first)?.id ?? "";
  expect(await sendAgain(sending.own.db, again)).toBe(true);
  expect(await send()).toEqual(["X", "X"]);
  expect(sending.receiver.received[1]?.headers["webhook-id"]).toBe(again);
});

test("gateways that claim at once do not send the same twice", async () => {
  await gather({ [routeA]: [found("X")], [routeB]: [found("X")] });
  await makeDue();
  const claimed = await Promise.all(Array.from({ length: 6 }, () => claimDelivery(sending.own.db, claiming)));
  expect(claimed.filter((one) => one !== null)).toHaveLength(1);
});

test("a message counts only once its arrival is recorded: a gateway that dies before loses nothing", async () => {
  await gather({ [routeA]: [found("X")], [routeB]: [found("X")] });
  await makeDue(routeA);
  const held = await claimDelivery(sending.own.db, claiming);
  await sending.own.db.query(
    "UPDATE delivery SET lease_until = now(), next_at = now() + interval '1 hour' WHERE state = 'sending'",
  );
  await makeDue(routeB);
  expect(await send()).toEqual(["X"]);
  await makeDue(routeA);
  expect(await send()).toEqual(["X"]);
  expect(await states()).toEqual(["told", "sent"]);
  if (held === null) throw new Error("nothing was claimed");
  // the dead one wakes up
  const end = { arrived: true, status: 204, answer: "", nextAt: null, remaining: null, refused: [] };
  expect(await endTry(sending.own.db, held, end)).toBe(false);
});
