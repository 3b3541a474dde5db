import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { SMTPServer } from "smtp-server";
import { Webhook } from "standardwebhooks";
import type { AddressInfo } from "node:net";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { startProduct } from "../support/product.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
let product: Product;
let site: Site;
let receiver: Receiver;
const mails: string[] = [];
let mailServer: SMTPServer;
let objectId = "";

const publish = (year: number) => {
  for (const name of names) site.pages.set(`/${name}`, `<h1>${name}</h1>\n<p>Words</p>\n<footer>© ${year}</footer>`);
};
const add = (body: BodyInput<"createChannel">) => product.rest.call("createChannel", { body });
const tell = (channel_id: string, more: Partial<BodyInput<"createRoute">> = {}) =>
  product.rest.call("createRoute", { body: { channel_id, testobject_id: objectId, ...more } });
const deliveries = async (channelId: string) =>
  (await product.rest.call("listDeliveries", { query: { limit: 100 } })).items.filter(
    (item) => item.channel_id === channelId,
  );

beforeAll(async () => {
  mailServer = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onData: (stream, _, done) => {
      let text = "";
      stream.on("data", (part: Buffer) => (text += part.toString("utf8")));
      stream.on("end", () => {
        mails.push(text);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void mailServer.listen(0, "127.0.0.1", resolve));
  const { port } = mailServer.server.address() as AddressInfo;
  [product, site, receiver] = await Promise.all([
    startProduct({
      EGRESS_ALLOW: "127.0.0.1",
      SMTP_URL: `smtp://127.0.0.1:${port}?security=none`,
      MAIL_FROM: "Tester <tester@example.org>",
      PUBLIC_URL: "https://monitor.example.org/",
    }),
    startSite({ "/": names.map((name) => `<a href="/${name}">${name}</a>`).join("") }),
    startReceiver(),
  ]);
  publish(2025);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await Promise.all([site.close(), receiver.close()]);
  await new Promise<void>((resolve) => mailServer.close(resolve));
});

/** Waits until every run that ended has been told. */
const told = () =>
  until("all runs to be told", async () => {
    const [row] = await product.db.query<{ untold: number }>(
      "SELECT count(*)::int AS untold FROM run WHERE NOT told AND state <> 'running'",
    );
    return row?.untold === 0;
  });

describe("one message for a run", () => {
  test("a footer that changed on all pages is one, signed, on every channel", async () => {
    await told();
    const [hook, slack, mail] = await Promise.all([
      add({ kind: "webhook", name: "Hook", url: `${receiver.url}/hook` }),
      add({ kind: "slack", name: "Slack", url: `${receiver.url}/slack` }),
      add({ kind: "email", name: "Mail", to: ["anna@example.org"] }),
    ]);
    for (const { id } of [hook, slack, mail]) await tell(id);
    // draw a picture first: a browser that has to start may take longer than a mail waits for its pictures. Without a browser, mails have no pictures.
    const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: { limit: 1 } });
    const drawn = await fetch(`${product.address}${items[0]?.thumbnail}`);
    const isDrawn = drawn.headers.get("cache-control") !== "no-store";
    publish(2026);
    await fetchAll(product, objectId);
    await until("three messages", async () => receiver.received.length === 2 && mails.length === 1);
    const [got] = receiver.of("/hook");
    expect(() =>
      new Webhook(hook.secret ?? "").verify(got?.body ?? "", got?.headers as Record<string, string>),
    ).not.toThrow();
    expect(() => new Webhook("whsec_AAAA").verify(got?.body ?? "", got?.headers as Record<string, string>)).toThrow(
      /signature/i,
    );
    const { data } = JSON.parse(got?.body ?? "") as { data: { sentence: string; sections: { groups: unknown[] }[] } };
    expect(data.sentence).toBe("The shop: 8 pages changed in 1 group");
    expect(data.sections[0]?.groups).toHaveLength(1);
    expect(receiver.of("/slack")[0]?.body).toContain("monitor.example.org/runs/");
    const [first = ""] = mails;
    expect(first).toMatch(/^Subject: The shop: 8 pages changed in 1 group\r$/m);
    expect(first).toMatch(/^To: anna@example.org\r$/m);
    const [sent] = await deliveries(mail.id);
    expect(first).toMatch(new RegExp(`^Message-ID: <${sent?.id}@example.org>`, "m"));
    expect(Buffer.byteLength(first)).toBeLessThan(30_000);
    expect(/^Content-Type: image\/jpeg/m.test(first)).toBe(isDrawn);
    for (const { id } of [hook, slack, mail]) await product.rest.call("deleteChannel", { params: { id } });
  });

  test("what rules ignore is told nobody, and neither is a history that is looked at again", async () => {
    const channel = await add({ kind: "webhook", name: "Quiet", url: `${receiver.url}/quiet` });
    await tell(channel.id);
    const rule = await product.rest.call("createRule", {
      params: { id: objectId },
      body: { kind: "element", selector: "footer" },
    });
    publish(2027);
    await fetchAll(product, objectId);
    await told();
    await product.rest.call("deleteRule", { params: { id: rule.id } });
    await until("the history to be looked at", async () => {
      const { items } = await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 100 } });
      return items.every(({ state }) => state !== "running");
    });
    await told();
    expect(await deliveries(channel.id)).toEqual([]);
    expect(receiver.of("/quiet")).toEqual([]);
    await product.rest.call("deleteChannel", { params: { id: channel.id } });
  });

  test("a route of a tag tells of the objects that have it, and of no others", async () => {
    const channel = await add({ kind: "webhook", name: "Tags", url: `${receiver.url}/tags` });
    await tell(channel.id, { testobject_id: null, tag: "shops" });
    publish(2040);
    await fetchAll(product, objectId);
    await told();
    expect(await deliveries(channel.id)).toEqual([]);
    await product.rest.call("updateTestObject", { params: { id: objectId }, body: { tags: ["other", "shops"] } });
    publish(2041);
    await fetchAll(product, objectId);
    await until("one message", async () => receiver.of("/tags").length === 1);
    await product.rest.call("deleteChannel", { params: { id: channel.id } });
  });

  test("several routes that say the same to one channel at once are one message", async () => {
    const channel = await add({ kind: "webhook", name: "Twice", url: `${receiver.url}/twice` });
    await tell(channel.id);
    await expect(tell(channel.id, { muted_until: "2050-01-01T00:00:00Z" })).rejects.toThrow(/such a route already/);
    const atOnce = await Promise.allSettled([1, 2, 3, 4].map(() => tell(channel.id, { events: ["gone"] })));
    expect(atOnce.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await tell(channel.id, { testobject_id: null });
    const more = await tell(channel.id, { events: ["changed", "run-ended"] });
    const change = (body: BodyInput<"updateRoute">) =>
      product.rest.call("updateRoute", { params: { id: more.id }, body });
    await expect(change({ events: ["gone"] })).rejects.toThrow(/such a route already/);
    // itself is no other route
    expect(await change({ events: ["changed", "run-ended"], muted_until: null })).toEqual(more);
    publish(2042);
    await fetchAll(product, objectId);
    await told();
    // the third route tells more, so it makes a message of its own
    await until("both messages", async () => receiver.of("/twice").length === 2);
    expect(await deliveries(channel.id)).toHaveLength(2);
    await product.rest.call("deleteChannel", { params: { id: channel.id } });
  });

  test("that a run ended is not told as if nothing had changed", async () => {
    const channel = await add({ kind: "webhook", name: "Ends", url: `${receiver.url}/ends` });
    await tell(channel.id, { events: ["run-ended"] });
    for (const year of [2043, 2043]) {
      publish(year);
      await fetchAll(product, objectId);
      await told();
    }
    await until("both messages", async () => receiver.of("/ends").length === 2);
    const sentences = (await deliveries(channel.id)).map(({ sentence }) => sentence.replace(/^[^:]*: /, ""));
    expect(sentences).toEqual([
      expect.stringMatching(/^Nothing changed\. The fetch finished/),
      expect.stringMatching(/^The fetch finished/),
    ]);
    await product.rest.call("deleteChannel", { params: { id: channel.id } });
  });

  test("a page that fails is told once, and that it is back", async () => {
    const channel = await add({ kind: "webhook", name: "Fails", url: `${receiver.url}/fails` });
    await tell(channel.id, { events: ["failing", "gone", "recovered"], failures: 2 });
    const page = site.pages.get("/p3") ?? "";
    site.pages.set("/p3", (_, response) => void response.writeHead(403).end("away"));
    for (let run = 0; run < 3; run++) await fetchAll(product, objectId);
    site.pages.set("/p3", page);
    await fetchAll(product, objectId);
    await until("two messages", async () => receiver.of("/fails").length === 2);
    await told();
    const sentences = receiver
      .of("/fails")
      .map(({ body }) => (JSON.parse(body) as { data: { sentence: string } }).data.sentence);
    expect(sentences[0]).toMatch(/^The shop: \/p3 fails \(HTTP 403, since .*, 2 times\)$/);
    expect(sentences[1]).toBe("The shop: /p3 is back");
    await product.rest.call("deleteChannel", { params: { id: channel.id } });
  });

  test("only where a text is added or removed, only on a path, only from so many pages on", async () => {
    const channel = await add({ kind: "webhook", name: "Few", url: `${receiver.url}/few` });
    await tell(channel.id, { text: "sold out" });
    await tell(channel.id, { path: "/p4" });
    await tell(channel.id, { min_pages: 9 });
    publish(2028);
    site.pages.set("/p5", `<h1>p5</h1>\n<p>Sold out</p>\n<footer>© 2028</footer>`);
    await fetchAll(product, objectId);
    await until("two messages", async () => (await deliveries(channel.id)).length === 2);
    await told();
    expect((await deliveries(channel.id)).map(({ sentence }) => sentence).toSorted()).toEqual([
      "The shop: 1 page changed",
      "The shop: 1 page changed",
    ]);
    await product.rest.call("deleteChannel", { params: { id: channel.id } });
  });
});

describe("receivers that do not take it", () => {
  test("one that fails is tried again with the same id, one that hangs holds up no other, one that is gone is switched off", async () => {
    receiver.answers.set("/fails-once", { status: 500, body: "not now" });
    receiver.answers.set("/hangs", "hang");
    receiver.answers.set("/gone", { status: 410 });
    const made = await Promise.all(
      ["/hangs", "/fails-once", "/gone", "/fine"].map((path) =>
        add({ kind: "webhook", name: path, url: receiver.url + path }),
      ),
    );
    const [hangs, failsOnce, gone, fine] = made;
    for (const { id } of made) await tell(id);
    publish(2029);
    await fetchAll(product, objectId);
    await until("the fine one", async () => receiver.of("/fine").length === 1, 5_000);
    await until("the first try", async () => receiver.of("/fails-once").length === 1);
    receiver.answers.delete("/fails-once");
    await until("the second try", async () => receiver.of("/fails-once").length === 2, 15_000);
    const ids = receiver.of("/fails-once").map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(1);
    await until("its end", async () => (await deliveries(failsOnce?.id ?? ""))[0]?.state === "sent");
    const channels = (await product.rest.call("listChannels", {})).items;
    expect(channels.find(({ id }) => id === gone?.id)).toMatchObject({
      enabled: false,
      fault: expect.stringMatching(/410/),
    });
    await until(
      "the hanging one to be given up for now",
      async () => {
        const [one] = await deliveries(hangs?.id ?? "");
        return one?.state === "queued" && /did not finish/.test(one.answer);
      },
      20_000,
    );
    expect((await deliveries(fine?.id ?? ""))[0]).toMatchObject({ state: "sent", attempts: 1 });
    for (const { id } of made) await product.rest.call("deleteChannel", { params: { id } });
  });

  test("a redirect is not followed, and a test says what was answered", async () => {
    receiver.answers.set("/moved", { status: 307, headers: { location: `${receiver.url}/elsewhere` } });
    receiver.answers.set("/no", { status: 403, body: "no token" });
    const [moved, no] = await Promise.all([
      add({ kind: "webhook", name: "Moved", url: `${receiver.url}/moved` }),
      add({ kind: "template", name: "No", url: `${receiver.url}/no`, template: '{"text": "{{sentence}}"}' }),
    ]);
    const tried = (id: string) => product.rest.call("testChannel", { params: { id } });
    expect(await tried(moved.id)).toMatchObject({ ok: false, status: 307, answer: expect.stringMatching(/redirects/) });
    expect(receiver.of("/elsewhere")).toEqual([]);
    expect(await tried(no.id)).toEqual({ ok: false, status: 403, answer: "no token" });
    receiver.answers.delete("/no");
    expect(await tried(no.id)).toEqual({ ok: true, status: 204, answer: "" });
    expect(JSON.parse(receiver.of("/no").at(-1)?.body ?? "")).toEqual({ text: "3 pages changed in 1 group" });
    for (const { id } of [moved, no]) await product.rest.call("deleteChannel", { params: { id } });
  });

  test("addresses and secrets are never given back", async () => {
    const { id } = await add({ kind: "slack", name: "Secret", url: `${receiver.url}/services/T0/B0/verysecret` });
    const answers = await Promise.all(
      ["channels", "routes", "deliveries"].map(async (path) => (await fetch(`${product.address}/api/${path}`)).text()),
    );
    expect(answers.join("")).not.toContain("verysecret");
    expect(answers[0]).toContain(new URL(receiver.url).host);
    const [row] = await product.db.query<{ text: string }>(
      "SELECT row_to_json(c)::text AS text FROM channel c WHERE id = $1",
      [id],
    );
    expect(row?.text).not.toContain("verysecret");
    await product.rest.call("deleteChannel", { params: { id } });
  });

  test("a token is told the server that it was entered for, and no other", async () => {
    const other = await startReceiver();
    const { id } = await add({ kind: "ntfy", name: "Topic", url: `${receiver.url}/topic`, secret: "tk_verysecret" });
    const saidTo = async (url: string, secret?: string) => {
      const body = { url, ...(secret === undefined ? {} : { secret }) };
      await product.rest.call("updateChannel", { params: { id }, body });
      await product.rest.call("testChannel", { params: { id } });
      return (url.startsWith(other.url) ? other : receiver).received.at(-1)?.headers.authorization;
    };
    expect(await saidTo(`${receiver.url}/renamed`)).toBe("Bearer tk_verysecret");
    expect(await saidTo(`${other.url}/topic`)).toBeUndefined();
    expect(await saidTo(`${other.url}/topic`, "tk_another")).toBe("Bearer tk_another");
    const bot = { kind: "telegram" as const, name: "Bot", chat: "-1", secret: "12:token", url: receiver.url };
    const telegram = await add(bot);
    await expect(
      product.rest.call("updateChannel", { params: { id: telegram.id }, body: { url: other.url } }),
    ).rejects.toThrow("the bot's token");
    for (const each of [id, telegram.id]) await product.rest.call("deleteChannel", { params: { id: each } });
    await other.close();
  });
});

test("events are in one order, for programs that come again", async () => {
  const all = await product.rest.call("listEvents", { query: { limit: 500 } });
  expect(all.items.length).toBeGreaterThan(5);
  const ids = all.items.map(({ id }) => Number(id));
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  const half = await product.rest.call("listEvents", { query: { limit: 3 } });
  const rest = await product.rest.call("listEvents", { query: { after: half.next, limit: 500 } });
  expect([...half.items, ...rest.items]).toEqual(all.items);
  expect(new Set(all.items.map(({ kind }) => kind))).toEqual(new Set(["run-ended", "changed", "failing", "recovered"]));
});

test("what is gathered goes out as one, when it is due", async () => {
  const channel = await add({ kind: "webhook", name: "Daily", url: `${receiver.url}/daily` });
  await tell(channel.id, { cadence: { type: "daily", at: "06:00", time_zone: "Europe/Berlin" } });
  for (const year of [2030, 2031]) {
    publish(year);
    await fetchAll(product, objectId);
    await told();
  }
  expect(await deliveries(channel.id)).toMatchObject([{ state: "gathering", attempts: 0 }]);
  await product.db.query("UPDATE delivery SET next_at = now() WHERE channel_id = $1", [channel.id]);
  await until("the message", async () => receiver.of("/daily").length === 1);
  const { data } = JSON.parse(receiver.of("/daily")[0]?.body ?? "") as { data: { sections: unknown[] } };
  expect(data.sections).toHaveLength(2);
});
