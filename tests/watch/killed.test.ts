import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { programOf } from "../../infra/local/bundled.mjs";
import { crawl, fetchAll, register, startFetch } from "../support/job.js";
import { type Product, startProduct } from "../support/product.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { type Site, startSite } from "../support/site.js";
import { until } from "../support/until.js";

const program = programOf("services/gateway/dist/main.js");
const objects = 40;
let product: Product;
let site: Site;
let receiver: Receiver;
const gateways = new Set<ChildProcess>();

/** Starts one more gateway of the product, as a process of its own. */
function startGateway(): void {
  const child = spawn(process.execPath, [program], {
    env: { ...product.workerEnv(), PORT: "0", HEALTH_PORT: undefined, EGRESS_ALLOW: "127.0.0.1" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  gateways.add(child);
  child.once("exit", () => gateways.delete(child));
}

/** Kills one of the gateways with SIGKILL at a random moment, and starts another. */
async function killOne(): Promise<void> {
  await sleep(Math.random() * 500);
  const [one] = [...gateways].toSorted(() => Math.random() - 0.5);
  one?.kill("SIGKILL");
  startGateway();
}

beforeAll(async () => {
  [product, site, receiver] = await Promise.all([
    startProduct({ EGRESS_ALLOW: "127.0.0.1" }),
    startSite({ "/": "<h1>Home</h1>" }),
    startReceiver(),
  ]);
});
afterAll(async () => {
  await Promise.all(
    [...gateways].map(async (child) => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }),
  );
  await product.stop();
  await Promise.all([site.close(), receiver.close()]);
});

const countOf = async (sql: string, values: unknown[] = []) =>
  (await product.db.query<{ count: number }>(sql, values))[0]?.count ?? -1;

test("gateways that are killed at random begin each due time once, and tell each run once", async () => {
  const { id: channel } = await product.rest.call("createChannel", {
    body: { kind: "webhook", name: "All", url: `${receiver.url}/all` },
  });
  await product.rest.call("createRoute", { body: { channel_id: channel, events: ["run-ended"] } });
  for (let index = 0; index < objects; index++) {
    const id = await register(product, `${site.url}${index}/`, `Object ${index}`);
    site.pages.set(`/${index}/`, `<h1>${index}</h1>`);
    const time = { type: "every" as const, minutes: 24 * 60 };
    await product.rest.call("createSchedule", { params: { id }, body: { work: "crawl", time } });
  }
  for (let index = 0; index < 3; index++) startGateway();
  const rounds = 4;
  for (let round = 1; round <= rounds; round++) {
    await product.db.query("UPDATE schedule SET begins_at = now(), due_at = now() - $1 * interval '1 second'", [round]);
    for (let kill = 0; kill < 3; kill++) await killOne();
    if (round === 2) process.kill(product.pidOf("gateway"), "SIGKILL");
    await until(
      `round ${round}`,
      async () =>
        (await countOf("SELECT count(*)::int AS count FROM due_time")) === objects * round &&
        (await countOf("SELECT count(*)::int AS count FROM run WHERE state = 'running' OR NOT told")) === 0,
      60_000,
    );
  }
  const due = objects * rounds;
  const [seen] = await product.db.query(
    `SELECT count(*)::int AS times, count(DISTINCT run_id)::int AS runs, (count(*) FILTER (WHERE outcome = 'started'))::int AS begun,
       (SELECT count(*)::int FROM run WHERE started_by = 'schedule') AS made,
       (SELECT count(*)::int FROM watch_event WHERE kind = 'run-ended') AS events,
       (SELECT count(DISTINCT run_id)::int FROM watch_event WHERE kind = 'run-ended') AS told,
       (SELECT count(*)::int FROM delivery) AS messages FROM due_time`,
  );
  expect(seen).toEqual({ times: due, runs: due, begun: due, made: due, events: due, told: due, messages: due });
  await until(
    "all messages to arrive",
    async () => (await countOf("SELECT count(*)::int AS count FROM delivery WHERE state <> 'sent'")) === 0,
    90_000,
  );
  // a receiver that drops the ids that it knows has each message once
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(due);
}, 300_000);

test("a second look that is killed in its middle ends right, and its run is told once", async () => {
  const url = `${site.url}looked/`;
  let release = () => undefined as void;
  let isLooking = false;
  site.pages.set("/looked/", "<h1>One</h1>");
  const id = await register(product, url, "Looked at again");
  await crawl(product, id);
  await fetchAll(product, id);
  await product.rest.call("updateTestObject", { params: { id }, body: { confirm_after_s: 1 } });
  let asked = 0;
  const released = new Promise<void>((done) => (release = done));
  site.pages.set("/looked/", (_, response) => {
    asked++;
    const answer = () => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Two, for good</h1>");
    if (asked !== 2) return answer();
    isLooking = true;
    void released.then(answer);
  });
  const runId = await startFetch(product, id);
  await until("the second look", async () => isLooking, 30_000);
  process.kill(product.pidOf("fetcher"), "SIGKILL");
  process.kill(product.pidOf("gateway"), "SIGKILL");
  for (const child of gateways) child.kill("SIGKILL");
  release();
  const told = "SELECT count(*)::int AS count FROM run WHERE id = $1 AND told";
  await until("the run to be told", async () => (await countOf(told, [runId])) === 1, 60_000);
  const events = await product.db.query(
    "SELECT kind, pages_total AS pages FROM watch_event WHERE run_id = $1 ORDER BY id",
    [runId],
  );
  expect(events).toEqual([
    { kind: "changed", pages: 1 },
    { kind: "run-ended", pages: 1 },
  ]);
  const looks = await product.db.query("SELECT state, total, completed, failed FROM run WHERE look_of = $1", [runId]);
  expect(looks).toEqual([{ state: "finished", total: 1, completed: 1, failed: 0 }]);
  // nothing about it is told later either
  await until("rest", async () => (await countOf("SELECT count(*)::int AS count FROM run WHERE NOT told")) === 0);
  expect(await countOf("SELECT count(*)::int AS count FROM watch_event WHERE run_id = $1", [runId])).toBe(2);
}, 180_000);
