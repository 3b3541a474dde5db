import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { type ChatService, type ChatServices, startChatServices } from "../support/chat-services.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

const names = Array.from({ length: 230 }, (_, index) => `seite-${index}-${"ü".repeat(20)}`);
let product: Product;
let site: Site;
let services: ChatServices;
let objectId = "";

/** Publishes an edition: each page changes in its own way, with letters outside of ASCII. */
const publish = (edition: number, failing = false) => {
  for (const name of names)
    site.pages.set(
      `/${encodeURIComponent(name)}`,
      failing
        ? (_, response) => void response.writeHead(403).end("away")
        : `<h1>${name}</h1>\n<p>${"Überraschung ".repeat(12)}${name} ${edition}</p>`,
    );
};

beforeAll(async () => {
  [product, site, services] = await Promise.all([
    shareProduct(reachesLoopback),
    startSite({ "/": names.map((name) => `<a href="/${encodeURIComponent(name)}">a</a>`).join("") }),
    startChatServices(),
  ]);
  publish(1);
  objectId = await register(product, site.url, "Laden & Söhne <b>");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await Promise.all([site.close(), services.close()]);
});

const all: readonly ChatService[] = ["slack", "discord", "teams", "mattermost", "ntfy", "telegram"];
const shownBy = (service: ChatService) => services.shown.filter((one) => one.service === service);
const channelOf = (kind: ChatService): BodyInput<"createChannel"> => ({
  ...{ kind, name: kind, url: kind === "telegram" ? services.url : `${services.url}/${kind}/hook` },
  ...(kind === "telegram" ? { chat: "-100", secret: "12:token" } : {}),
});

test("each service takes what it is sent, once; one that takes nothing for a while is left alone so long", async () => {
  for (const kind of all) {
    const { id } = await product.rest.call("createChannel", { body: channelOf(kind) });
    expect(await product.rest.call("testChannel", { params: { id } })).toMatchObject({ ok: true });
    await product.rest.call("createRoute", { body: { channel_id: id, testobject_id: objectId, events: ["changed"] } });
  }
  services.shown.splice(0);
  // the services refuse for longer than a refused message waits before its first retry
  for (const kind of ["discord", "telegram"] as const) services.refuse(kind, 8);
  publish(2);
  await fetchAll(product, objectId);
  publish(3);
  await fetchAll(product, objectId);
  await until("two messages on each", async () => all.every((kind) => shownBy(kind).length === 2), 40_000);
  expect(services.refused).toEqual([]);
  for (const kind of all) expect(shownBy(kind)[0]?.text).toContain("230 pages changed");
  // each service was asked in vain once, and not again before the time that it had named
  expect(["discord", "telegram"].map((kind) => services.askedInVain(kind as ChatService))).toEqual([1, 1]);
});

test("an event of many pages tells its first ones, and gives all of them to programs that ask", async () => {
  publish(4, true);
  await fetchAll(product, objectId);
  publish(5);
  await fetchAll(product, objectId);
  const events = await until("the pages to be back", async () => {
    const { items } = await product.rest.call("listEvents", { query: { testobject_id: objectId, limit: 500 } });
    return items.some(({ kind }) => kind === "recovered") ? items : undefined;
  });
  for (const [kind, said] of [
    ["changed", /^$/],
    ["failing", /^HTTP 403, since /],
    ["recovered", /^back after /],
  ] as const) {
    const event = events.findLast((one) => one.kind === kind);
    expect([event?.pages_total, event?.pages.length]).toEqual([230, 20]);
    const id = event?.id ?? "";
    const first = await product.rest.call("listEventPages", { params: { id } });
    expect(first).toMatchObject({ total: 230, nextCursor: 1 });
    const rest = await product.rest.call("listEventPages", {
      params: { id },
      query: { cursor: first.nextCursor ?? 0 },
    });
    expect(rest.nextCursor).toBeNull();
    const pages = [...first.items, ...rest.items];
    expect(new Set(pages.map(({ url }) => url)).size).toBe(230);
    expect(pages.slice(0, 20)).toEqual(event?.pages);
    for (const page of pages) expect(page.said).toMatch(said);
  }
  const small = events.find(({ kind }) => kind === "run-ended");
  expect(await product.rest.call("listEventPages", { params: { id: small?.id ?? "" } })).toMatchObject({ items: [] });
  await expect(product.rest.call("listEventPages", { params: { id: "999999999" } })).rejects.toThrow(/no event/i);
});
