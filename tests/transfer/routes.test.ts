import { afterAll, beforeAll, expect, test } from "@jest/globals";

import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { deleteObject, exportAll, uploadJson } from "../support/transfer.js";
import { until } from "../support/until.js";

let product: Product;
beforeAll(async () => {
  product = await shareProduct();
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

  // imported into the product that it came from, the file doubles nothing and switches nothing off
  expect((await uploadJson(product, file)).status).toBe(200);
  expect(await counts()).toEqual({ channels: 2, routes: 2 });
  expect((await product.rest.call("listChannels")).items.every(({ enabled }) => enabled)).toBe(true);

  await deleteObject(product, id);
  await until("the routes to be gone", async () => (await counts()).routes === 0);
  await product.rest.call("deleteChannel", { params: { id: hook.id } });
  const answer = await uploadJson(product, file);
  expect(answer.text).toContain("a channel of its routes is switched off");
  expect(await counts()).toEqual({ channels: 2, routes: 2 });
  const { items } = await product.rest.call("listChannels");
  const came = items.find(({ kind }) => kind === "slack");
  expect(came).toMatchObject({ name: "Team", enabled: false, host: null, fault: expect.stringMatching(/^Imported/) });
  expect(items.find(({ kind }) => kind === "email")).toMatchObject({ id: mail.id, enabled: true });
  const [object] = await product.rest.call("listTestObjects");
  const { items: routes } = await product.rest.call("listRoutes");
  expect(routes.map(({ testobject_id: at, min_pages: least }) => [at, least])).toEqual([
    [object?.id, 3],
    [object?.id, 3],
  ]);

  // the channel cannot be switched on before it has an address; then it is like any other
  const channel = { id: came?.id ?? "" };
  await expect(product.rest.call("updateChannel", { params: channel, body: { enabled: true } })).rejects.toThrow(
    /say where it is sent/,
  );
  const complete = await product.rest.call("updateChannel", { params: channel, body: { enabled: true, url: secret } });
  expect(complete).toMatchObject({ enabled: true, fault: null, host: "hooks.example.org" });
});

test("what holds for all objects travels: routes once with all of them, rules and routes with one of them as its own", async () => {
  for (const { id } of await product.rest.call("listTestObjects")) await deleteObject(product, id);
  const [first, second] = await Promise.all(
    ["one", "two"].map((name) =>
      product.rest.call("createTestObject", { body: { name, url: `http://${name}.test/` } }),
    ),
  );
  await product.rest.call("updateTestObject", { params: { id: second?.id ?? "" }, body: { tags: ["two"] } });
  const { id: channel } = await product.rest.call("createChannel", {
    body: { kind: "email", name: "Berta", to: ["berta@example.org"] },
  });
  for (const tag of ["", "two"])
    await product.rest.call("createRoute", { body: { channel_id: channel, tag, events: ["gone"] } });
  await product.rest.call("createRule", {
    params: { id: first?.id ?? "" },
    body: { kind: "element", selector: ".visits", scope: "all" },
  });
  const all = await exportAll(product);
  const one = await exportAll(product, `?testObjectId=${first?.id}`);
  const two = await exportAll(product, `?testObjectId=${second?.id}`);
  const routes = async () =>
    (await product.rest.call("listRoutes")).items.filter(({ channel_id: to }) => to === channel).length;

  expect(all.testObjects.map(({ routes_of_all: ofAll = [] }) => ofAll)).toMatchObject([
    [{ tag: "", events: ["gone"], channel: { name: "Berta" } }, { tag: "two" }],
    [],
  ]);
  expect([one, two].map((file) => file.testObjects[0]?.["routes"])).toMatchObject([
    [{ events: ["gone"] }],
    [{ events: ["gone"] }, { events: ["gone"] }],
  ]);
  const ruled = expect.objectContaining({ ignore_rules: [expect.objectContaining({ selector: ".visits" })] });
  expect([...all.testObjects, ...two.testObjects]).toEqual([ruled, ruled, ruled]);
  // in the product that they came from, all routes and rules exist already
  for (const file of [all, one, two]) expect((await uploadJson(product, file)).status).toBe(200);
  expect(await routes()).toBe(2);
  const { items: rules } = await product.rest.call("listRules", { params: { id: second?.id ?? "" } });
  expect(rules).toHaveLength(1);

  await product.rest.call("deleteChannel", { params: { id: channel } });
  expect((await uploadJson(product, all)).text).toContain("All objects: a channel of its routes is switched off");
  const { items } = await product.rest.call("listRoutes");
  expect(
    items.flatMap(({ testobject_id: about, tag, events }) => (events[0] === "gone" ? [[about, tag]] : [])),
  ).toEqual([
    [null, ""],
    [null, "two"],
  ]);
});

test("a route that cannot be obeyed is refused with its place, and nothing is imported", async () => {
  const routes = [{ events: [], channel: { kind: "email", name: "Anna" } }];
  const testObjects = [{ id: "1", name: "Imported", url: "http://imported.test/", routes }];
  expect(await uploadJson(product, { testObjects, testInstances: [], testSnapshots: [] })).toMatchObject({
    status: 400,
    text: expect.stringMatching(/routes\.0\.events: Choose at least one event/),
  });
});
