import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Queryable } from "@web-tester/platform/database/database";
import { queueDelivery } from "@web-tester/records/deliveries/deliveries";
import type { Product } from "../support/product.js";
import { exampleSection } from "../support/sending.js";
import { shareProduct } from "../support/shared-product.js";
import { until } from "../support/until.js";

/** Channels and routes that several callers change at once, or that are removed while messages are gathered for them. */
let product: Product;

beforeAll(async () => {
  product = await shareProduct();
});
afterAll(() => product.stop());

const makeChannel = () =>
  product.rest.call("createChannel", { body: { kind: "webhook", name: "Hook", url: "https://hook.test/a" } });

const rename = (id: string) => product.rest.call("updateChannel", { params: { id }, body: { name: "Other" } });

/** Renames a channel while a transaction that changes something about it is still open. */
async function renameDuring(id: string, change: (tx: Queryable) => Promise<unknown>) {
  const result = await product.db.transaction(async (tx) => {
    await change(tx);
    const renaming = Promise.allSettled([rename(id)]);
    await until("the call to wait for the channel", async () => {
      const waiting = await product.db.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'channel'",
      );
      return waiting.length > 0;
    });
    return { renaming };
  });
  const [outcome] = await result.renaming;
  return outcome;
}

test("a channel that is deleted while it is changed stays deleted", async () => {
  const { id } = await makeChannel();
  const outcome = await renameDuring(id, (tx) => tx.query("DELETE FROM channel WHERE id = $1", [id]));
  expect(outcome).toMatchObject({ status: "rejected", reason: { message: expect.stringMatching(/no channel/) } });
  const { items } = await product.rest.call("listChannels", {});
  expect(items.filter((channel) => channel.id === id)).toEqual([]);
});

test("one that its receiver has switched off while it is changed stays off", async () => {
  const { id } = await makeChannel();
  await renameDuring(id, (tx) =>
    tx.query("UPDATE channel SET enabled = false, fault = 'No more, please.' WHERE id = $1", [id]),
  );
  const { items } = await product.rest.call("listChannels", {});
  expect(items.find((channel) => channel.id === id)).toMatchObject({
    ...{ name: "Other", enabled: false, fault: "No more, please." },
  });
});

test("what a route has gathered is not sent once the route is deleted, what waits to be sent is", async () => {
  const { id: channel_id } = await makeChannel();
  const route = (min_pages: number) =>
    product.rest.call("createRoute", { body: { channel_id, min_pages, cadence: { type: "hourly" } } });
  const [kept, ended] = [await route(1), await route(2)];
  const section = exampleSection(1);
  const later = new Date("2100-01-01T00:00Z");
  for (const [sentence, routeId, gatherUntil] of [
    ["kept", kept.id, later],
    ["ended", ended.id, later],
    ["at once", ended.id, null],
  ] as const)
    await queueDelivery(product.db, {
      channelId: channel_id,
      routeId,
      cadence: "hourly",
      section,
      sentence,
      gatherUntil,
    });
  await product.rest.call("deleteRoute", { params: { id: ended.id } });
  const { items } = await product.rest.call("listDeliveries", { query: {} });
  const left = items.filter((one) => one.channel_id === channel_id).map(({ sentence }) => sentence);
  expect(left.toSorted()).toEqual(["at once", "kept"]);
});

test("what a route has gathered goes to the channel, and at the time, that the route is given meanwhile", async () => {
  const [old, fresh] = [await makeChannel(), await makeChannel()];
  const route = await product.rest.call("createRoute", { body: { channel_id: old.id, cadence: { type: "hourly" } } });
  const later = new Date("2100-01-01T00:00Z");
  const add = (sentence: string, channelId: string, cadence: "hourly" | "daily") =>
    queueDelivery(product.db, {
      ...{ channelId, routeId: route.id, cadence, section: exampleSection(1), sentence, gatherUntil: later },
    });
  const waiting = () =>
    product.db.query<{ channel: string; cadence: string; sections: number; is_later: boolean }>(
      `SELECT channel_id AS channel, cadence, jsonb_array_length(sections) AS sections, next_at > now() + interval '2 days' AS is_later
       FROM delivery WHERE channel_id = ANY ($1) AND state = 'gathering'`,
      [[old.id, fresh.id]],
    );
  const change = (body: object) => product.rest.call("updateRoute", { params: { id: route.id }, body });
  await add("first", old.id, "hourly");
  await change({ min_pages: 2 });
  expect(await waiting()).toEqual([{ channel: old.id, cadence: "hourly", sections: 1, is_later: true }]);
  await change({ channel_id: fresh.id });
  expect(await waiting()).toEqual([{ channel: fresh.id, cadence: "hourly", sections: 1, is_later: true }]);
  await add("second", fresh.id, "hourly");
  await change({ cadence: { type: "daily", at: "09:00", time_zone: "UTC" } });
  expect(await waiting()).toEqual([{ channel: fresh.id, cadence: "daily", sections: 2, is_later: false }]);
});
