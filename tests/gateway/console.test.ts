import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { limits } from "@web-tester/contracts/limits";
import { type JobLine, jobLine, serverFrame, type ServerFrame } from "@web-tester/contracts/socket";
import { WebSocket } from "ws";
import { crawl, fetchAll, register } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** The live job console over its websocket: history, live lines in order per run, unsubscribing, clearing, and no secrets. */
const pageCount = 30;
const secret = "s3cret-value";
let product: Product;
let site: Site;
const opened: WebSocket[] = [];

beforeAll(async () => {
  const pages = manual(pageCount, "first");
  pages["/"] += `<a href="/p0.html?access_token=${secret}">a page that is opened with a token</a>`;
  pages[`/p0.html?access_token=${secret}`] = "<!doctype html><title>Opened with a token</title>";
  [product, site] = await Promise.all([startProduct(), startSite(pages)]);
});
afterEach(() => {
  for (const socket of opened.splice(0)) socket.terminate();
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

interface Console {
  frames: ServerFrame[];
  /** Lines of the live frames, in the order in which they came. */
  live(): JobLine[];
  /** Lines of the history frames. */
  told(): JobLine[];
  send(frame: object): void;
}

async function openConsole(): Promise<Console> {
  const socket = new WebSocket(`${product.address.replace("http", "ws")}/ws/console`);
  opened.push(socket);
  const frames: ServerFrame[] = [];
  socket.on("message", (data: Buffer) => frames.push(serverFrame.parse(JSON.parse(data.toString("utf8")))));
  await until("the welcome", () => frames.length > 0);
  socket.send(JSON.stringify({ type: "init", role: "console" }));
  return {
    frames,
    live: () => frames.flatMap((frame) => (frame.type === "job:log" ? [frame.payload] : [])),
    told: () => frames.flatMap((frame) => (frame.type === "console:history" ? linesOf(frame.payload.text) : [])),
    send: (frame) => socket.send(JSON.stringify(frame)),
  };
}

const linesOf = (text: string): JobLine[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => jobLine.parse(JSON.parse(line)));

/** Sends a frame and waits for the next frame of the type that answers it. */
async function ask(console: Console, frame: object, answer: ServerFrame["type"]): Promise<void> {
  const before = console.frames.filter(({ type }) => type === answer).length;
  console.send(frame);
  await until(`an answer ${answer}`, () => console.frames.filter(({ type }) => type === answer).length > before);
}

const finished = (console: Console, what: string) =>
  until(what, () => console.live().some(({ message }) => message.startsWith(what)));

test("greets with the process it runs in, and has nothing to tell at first", async () => {
  const console = await openConsole();
  expect(console.frames[0]).toEqual({ type: "welcome", pid: product.pidOf("gateway") });
  await ask(console, { type: "freshsubscribe", roomId: "web console" }, "console:history");
  expect(console.frames.slice(1)).toEqual([
    { type: "subscribed", roomId: limits.consoleDefaultRoom },
    { type: "console:history", payload: { text: "" } },
  ]);
});

test("a crawl is told while it runs: every page, in order, by the same words to all, without secrets", async () => {
  const [one, other] = await Promise.all([openConsole(), openConsole()]);
  await ask(one, { type: "subscribe" }, "subscribed");
  await ask(other, { type: "freshsubscribe" }, "console:history");
  const run = await crawl(product, await register(product, site.url));
  expect(run).toMatchObject({ state: "finished", failed: 0, completed: pageCount + 1 });
  await Promise.all([finished(one, "Crawl finished"), finished(other, "Crawl finished")]);
  const lines = one.live();
  expect(lines[0]?.message).toBe(`Crawl of ${site.url} started`);
  expect(lines.at(-1)?.message).toMatch(/^Crawl finished: \d+ pages found/);
  const visited = lines.filter(({ message }) => message.startsWith("Visited "));
  expect(visited).toHaveLength(pageCount + 1);
  for (const path of Object.keys(manual(pageCount, "")))
    expect(visited.some(({ message }) => message.split(" ")[1] === new URL(path, site.url).href)).toBe(true);
  expect(new Set(lines.map(({ jobId }) => jobId)).size).toBe(1);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
  expect(other.live()).toEqual(lines);
  // the lines name the page, but not the token in its address
  expect(site.requests).toContain(`/p0.html?access_token=${secret}`);
  expect(visited.some(({ message }) => message.includes("/p0.html?access_token=[redacted]"))).toBe(true);
  expect(JSON.stringify([...one.frames, ...other.frames])).not.toContain(secret);
});

test("who comes later is told the newest 200 lines in the order of each run, then what follows", async () => {
  const first = await openConsole();
  await ask(first, { type: "subscribe" }, "subscribed");
  const id = await register(product, site.url, "Second");
  await crawl(product, id);
  for (let round = 0; round < 6; round++) await fetchAll(product, id);
  await until("all runs told", () => {
    const ends = first.live().filter(({ message }) => /^(Crawl|Fetch) finished/.test(message));
    return ends.length === 7;
  });
  const late = await openConsole();
  await ask(late, { type: "freshsubscribe" }, "console:history");
  const told = late.told();
  expect(told).toHaveLength(limits.consoleLinesKept);
  const live = first.live();
  expect(live.length).toBeGreaterThan(limits.consoleLinesKept);
  for (const [jobId, lines] of Map.groupBy(told, (line) => line.jobId))
    expect(lines.map((line) => line.id)).toEqual(
      live
        .filter((line) => line.jobId === jobId)
        .slice(-lines.length)
        .map((line) => line.id),
    );
  expect(JSON.stringify(late.frames)).not.toContain(secret);
  await fetchAll(product, id);
  await finished(late, "Fetch finished");
  const known = new Set(told.map((line) => line.id));
  expect(late.live().filter((line) => known.has(line.id))).toEqual([]);
});

test("who left, and who listens to another room, hears nothing", async () => {
  const id = await register(product, `${site.url}p1.html`, "Third");
  const [all, gone, strange] = await Promise.all([openConsole(), openConsole(), openConsole()]);
  for (const console of [all, gone]) await ask(console, { type: "subscribe" }, "subscribed");
  await ask(strange, { type: "subscribe", roomId: "another room" }, "subscribed");
  await ask(gone, { type: "unsubscribe", roomId: "web console" }, "unsubscribed");
  await crawl(product, id);
  await finished(all, "Crawl finished");
  // frames arrive in order: a live line for these two would have come before the answer
  await ask(gone, { type: "unsubscribe" }, "unsubscribed");
  await ask(strange, { type: "unsubscribe" }, "unsubscribed");
  expect(gone.live()).toEqual([]);
  expect(strange.live()).toEqual([]);
});

test("clearing empties the log for all who come later, and lines go on", async () => {
  const before = await openConsole();
  await ask(before, { type: "freshsubscribe" }, "console:history");
  expect(before.told().length).toBeGreaterThan(0);
  expect((await product.rest.call("getStats")).log.bytes).toBeGreaterThan(0);
  expect(await product.rest.call("clearLogs")).toEqual({ ok: true });
  expect((await product.rest.call("getStats")).log.bytes).toBe(0);
  const after = await openConsole();
  await ask(after, { type: "freshsubscribe" }, "console:history");
  expect(after.told()).toEqual([]);
  await crawl(product, await register(product, `${site.url}p2.html`, "Fourth"));
  await Promise.all([finished(before, "Crawl finished"), finished(after, "Crawl finished")]);
  expect(after.live()).toEqual(before.live());
});
