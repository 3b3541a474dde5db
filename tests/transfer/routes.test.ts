import { afterAll, beforeAll, expect, test } from "@jest/globals";

import { type Product, startProduct } from "../support/product.js";
import { deleteObject, exportAll, uploadJson } from "../support/transfer.js";
import { until } from "../support/until.js";

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.stop());

const secret = "https://hooks.example.org/services/T0/SECRET";
const counts = async () => ({
  channels: (await product.rest.call("listChannels")).items.length,
  routes: (await product.rest.call("listRoutes")).items.length,
});

test("routes travel with their object: channels without addresses, switched off where they are new, nothing doubled", async () => {
  const { id } = await product.rest.call("createTestObject", { body: { name: "Shop", url: "http://shop.test/" } });
  const hook = await product.rest.call("createChannel", { body: { kind: "slack", name: "Team", url: secret } });
  const mail = await product.rest.call("createChannel", {
    body: { kind: "email", name: "Anna", to: ["anna@example.org"] },
  });
  const about = { testobject_id: id, events: ["changed" as const], path: "/shop/*", min_pages: 3 };
  for (const channel of [hook, mail])
    await product.rest.call("createRoute", { body: { ...about, channel_id: channel.id } });
  const file = await exportAll(product);
  expect(JSON.stringify(file)).not.toContain("SECRET");
  expect(file.testObjects[0]?.["routes"]).toMatchObject([
    { path: "/shop/*", channel: { kind: "slack", name: "Team" } },
    { path: "/shop/*", channel: { kind: "email", name: "Anna", to: ["anna@example.org"] } },
  ]);

  // where it came from, nothing is doubled and nothing is switched off
  expect((await uploadJson(product, file)).status).toBe(200);
  expect(await counts()).toEqual({ channels: 2, routes: 2 });
  expect((await product.rest.call("listChannels")).items.every(({ enabled }) => enabled)).toBe(true);

  await deleteObject(product, id);
  await until("the routes to be gone", async () => (await counts()).routes === 0);
  await product.rest.call("deleteChannel", { params: { id: hook.id } });
  const answer = await uploadJson(product, file);
  expect(answer.text).toContain("a channel of its routes came switched off");
  expect(await counts()).toEqual({ channels: 2, routes: 2 });
  const { items } = await product.rest.call("listChannels");
  const came = items.find(({ kind }) => kind === "slack");
  expect(came).toMatchObject({ name: "Team", enabled: false, host: null, fault: expect.stringMatching(/import/) });
  expect(items.find(({ kind }) => kind === "email")).toMatchObject({ id: mail.id, enabled: true });
  const [object] = await product.rest.call("listTestObjects");
  const { items: routes } = await product.rest.call("listRoutes");
  expect(routes.map(({ testobject_id: at, min_pages: least }) => [at, least])).toEqual([
    [object?.id, 3],
    [object?.id, 3],
  ]);

  // it cannot be switched on before it has an address, and then is as any other
  const channel = { id: came?.id ?? "" };
  await expect(product.rest.call("updateChannel", { params: channel, body: { enabled: true } })).rejects.toThrow(
    /say where it is sent/,
  );
  const complete = await product.rest.call("updateChannel", { params: channel, body: { enabled: true, url: secret } });
  expect(complete).toMatchObject({ enabled: true, fault: null, host: "hooks.example.org" });
});

test("a route that cannot be obeyed is refused with its place, and nothing is imported", async () => {
  const routes = [{ events: [], channel: { kind: "email", name: "Anna" } }];
  const testObjects = [{ id: "1", name: "Imported", url: "http://imported.test/", routes }];
  expect(await uploadJson(product, { testObjects, testInstances: [], testSnapshots: [] })).toMatchObject({
    status: 400,
    text: expect.stringMatching(/routes\.0\.events: Choose what is told/),
  });
});
