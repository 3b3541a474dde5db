import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Queryable } from "@web-tester/platform/database/database";
import { queueDelivery } from "@web-tester/records/deliveries/deliveries";
import type { Product } from "../support/product.js";
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
  const none = { total: 0, pages: [] };
  const section = {
    ...{ object: { id: kept.id, name: "Shop", url: "http://shop.test/", link: "" }, run: null },
    ...{ changed: 0, groups_total: 0, groups: [], strange: [], notes: [] },
    ...{ new: none, gone: none, moved: none, unlinked: none, failing: none, recovered: none },
  };
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
