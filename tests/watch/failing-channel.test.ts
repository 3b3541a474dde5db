import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { queueDelivery } from "@web-tester/records/deliveries/deliveries";
import type { Product } from "../support/product.js";
import { exampleSection } from "../support/sending.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startReceiver, type Receiver } from "../support/receiver.js";
import { until } from "../support/until.js";

/** A channel whose messages do not arrive says so until one arrives. */
let product: Product;
let receiver: Receiver;

beforeAll(async () => {
  [product, receiver] = await Promise.all([shareProduct(reachesLoopback), startReceiver()]);
});
afterAll(async () => {
  await product.stop();
  await receiver.close();
});

const channelOf = async (id: string) =>
  (await product.rest.call("listChannels", {})).items.find((channel) => channel.id === id);

const queue = (channelId: string) =>
  queueDelivery(product.db, {
    ...{ channelId, routeId: null, cadence: "at-once", gatherUntil: null, sentence: "Shop: 1 page changed" },
    section: exampleSection(1),
  });

test("says since when and why, without the address's secret, until a message arrives", async () => {
  const url = `${receiver.url}/hook-of-secret`;
  receiver.answers.set("/hook-of-secret", { status: 503, body: "no room at /hook-of-secret" });
  const { id, failing } = await product.rest.call("createChannel", { body: { kind: "webhook", name: "Hook", url } });
  expect(failing).toBeNull();
  await queue(id);
  await until("a failure", async () => (await channelOf(id))?.failing != null);
  const [row] = await product.db.query<{ at: Date }>("SELECT first_at AS at FROM delivery WHERE channel_id = $1", [id]);
  const how = { since: row?.at.toISOString(), status: 503, answer: "no room at …" };
  expect((await channelOf(id))?.failing).toEqual(how);
  const renamed = await product.rest.call("updateChannel", { params: { id }, body: { name: "Other" } });
  expect(renamed.failing).toEqual(how);

  await product.db.query(
    "UPDATE delivery SET state = 'dead', next_at = NULL WHERE channel_id = $1 AND state = 'queued'",
    [id],
  );
  expect((await channelOf(id))?.failing).toEqual(how);
  receiver.answers.clear();
  await queue(id);
  await until("a success", async () => (await channelOf(id))?.failing === null);
});
