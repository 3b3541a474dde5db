import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ComposedNames1700000158000 } from "@web-tester/records/schema/migrations/1700000158000-composed-names";
import { upload } from "../support/transfer.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";

/** A name is the same name, whether its accents are typed as letters of their own or follow a letter (as in file names of macOS). */
const one = "Caf\u00e9";
const two = "Cafe\u0301";
let product: Product;

beforeAll(async () => {
  product = await shareProduct();
});
afterAll(() => product.stop());

test("names and labels in either form are one, in calls and filters", async () => {
  const { rest } = product;
  const { id, name, tags } = await rest.call("createTestObject", {
    body: { name: two, url: "https://example.org/", tags: [`${two}s`, one] },
  });
  expect([name, tags]).toEqual([one, [`${one}s`, one]]);
  const channel = await rest.call("createChannel", {
    body: { kind: "webhook", name: two, url: "https://hook.test/" },
  });
  const route = await rest.call("createRoute", { body: { channel_id: channel.id, tag: two, text: two } });
  expect([channel.name, route.tag, route.text]).toEqual([one, one, one]);
  const { runId } = await rest.call("crawl", { params: { id } });
  expect((await rest.call("updateRun", { params: { id: runId }, body: { label: two } })).label).toBe(one);
  for (const label of [one, two]) {
    const { items } = await rest.call("listRuns", { params: { id }, query: { label } });
    expect([label, items.map((run) => run.id)]).toEqual([label, [runId]]);
  }
  expect((await rest.call("listRuns", { params: { id }, query: { label: "Cafe" } })).items).toEqual([]);
});

test("names in imported files are stored in one form, and found by both", async () => {
  const { rest } = product;
  const file = {
    testObjects: [{ id: 1, name: `${two} imported`, url: "https://imported.example/", tags: [two] }],
    testInstances: [
      { id: 2, testobject_id: 1, name: `${two} menu`, url: "https://imported.example/menu" },
      { id: 3, testobject_id: 1, name: "Cafe prices", url: "https://imported.example/prices" },
    ],
    testSnapshots: [],
  };
  expect((await upload(product, [JSON.stringify(file)])).status).toBe(200);
  const object = (await rest.call("listTestObjects")).find((each) => each.name === `${one} imported`);
  expect(object?.tags).toEqual([one]);
  for (const q of [one, two]) {
    const { items } = await rest.call("listTestInstances", { params: { id: object?.id ?? "" }, query: { q } });
    expect([q, items.map((item) => item.name)]).toEqual([q, [`${one} menu`]]);
  }
});

test("names that earlier versions stored are brought into the form; where both exist, both stay", async () => {
  const { db } = product;
  const [object] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url, tags) VALUES ($1, 'https://old.example/', $2) RETURNING id",
    [`${two} of old`, [two, "b", one, "a"]],
  );
  const tagless = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ($1, 'https://old.example/') RETURNING id",
    [`${one} of old`],
  );
  await db.query("INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, 'https://old.example/', $2)", [
    object?.id,
    two,
  ]);
  const channels = await db.query<{ id: string }>(
    "INSERT INTO channel (kind, name, settings, sealed) SELECT 'webhook', name, '{}', '' FROM unnest($1::text[]) AS name RETURNING id",
    [[`${one} old`, `${two} old`]],
  );
  await db.query("INSERT INTO route (channel_id, spec) VALUES ($1, $2)", [channels[1]?.id, { tag: two, min_pages: 3 }]);
  const read = async () => {
    const [row] = await db.query<Record<string, unknown>>(
      `SELECT (SELECT array_agg(name) FROM test_object WHERE id = ANY($1)) AS objects,
         (SELECT tags FROM test_object WHERE id = $2) AS tags,
         (SELECT name FROM test_instance WHERE test_object_id = $2) AS instance,
         (SELECT array_agg(name) FROM channel WHERE id = ANY($3)) AS channels,
         (SELECT spec FROM route WHERE channel_id = ANY($3)) AS route`,
      [[object?.id, tagless[0]?.id], object?.id, channels.map(({ id }) => id)],
    );
    return row;
  };
  const composed = {
    objects: [`${one} of old`, `${one} of old`],
    tags: [one, "b", "a"],
    instance: one,
    channels: [`${one} old`, `${one} old`],
    route: { tag: one, min_pages: 3 },
  };
  expect(await read()).not.toEqual(composed);
  const migration = new ComposedNames1700000158000();
  await migration.up({ query: (sql: string) => db.query(sql) } as Parameters<typeof migration.up>[0]);
  expect(await read()).toEqual(composed);
});
