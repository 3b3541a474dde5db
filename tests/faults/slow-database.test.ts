import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { programOf } from "../../infra/local/bundled.mjs";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { launchBrowser } from "../support/browser.js";
import { gatewayOnly, type Product, startProduct } from "../support/product.js";
import { startingDatabase } from "../support/starting-database.js";
import { until } from "../support/until.js";

/** Services that start while PostgreSQL starts or recovers wait for it, and live and say so meanwhile. */
let product: Product;
beforeAll(async () => {
  product = await startProduct(gatewayOnly);
});
afterAll(() => product.stop());

interface Service {
  process: ReturnType<typeof spawn>;
  address: string;
  said(): string;
  ask(path: string): Promise<[status: number, body: string] | null>;
}

/** Starts a service whose `port` variable is where it answers. */
async function start(name: string, portName: "PORT" | "HEALTH_PORT", env: NodeJS.ProcessEnv): Promise<Service> {
  const [port] = await freePorts(1);
  const settings = { ...product.workerEnv(), HEALTH_PORT: undefined, ...env, [portName]: String(port) };
  const process = spawn("node", [programOf(`services/${name}/dist/main.js`)], { env: settings });
  let said = "";
  process.stdout.on("data", (part) => (said += String(part)));
  return {
    process,
    address: `http://127.0.0.1:${port}`,
    said: () => said,
    ask: (path) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        async (answer) => [answer.status, await answer.text()],
        () => null,
      ),
  };
}

const services = [
  ["gateway", "57P03", "PORT", "The database takes no connections yet"],
  ["differ", "53300", "HEALTH_PORT", "The database takes no further connection"],
  ["crawler", "57P01", "HEALTH_PORT", "The database does not answer"],
] as const;

test.each(services)("%s waits for a database that says %s", async (name, state, portName, words) => {
  const database = await startingDatabase(product.stack.databaseUrl, state);
  const service = await start(name, portName, { DATABASE_URL: database.url });
  const ended = once(service.process, "exit");
  await until("a service that says what it waits for", () => service.said().includes("Waiting for the database"));
  expect(service.said()).toContain(words);
  expect(await service.ask("/healthz")).toEqual([200, expect.any(String)]);
  expect(await service.ask("/readyz")).toEqual([503, expect.stringContaining(words)]);
  database.finish();
  await until("a service that is ready", async () => (await service.ask("/readyz"))?.[0] === 200);
  service.process.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await database.close();
});

test("a person who opens a waiting gateway reads what it waits for, and is led on; a program is told when to come back", async () => {
  const database = await startingDatabase(product.stack.databaseUrl, "57P03");
  const gateway = await start("gateway", "PORT", { DATABASE_URL: database.url });
  const ended = once(gateway.process, "exit");
  await until("a gateway that waits", async () => (await gateway.ask("/healthz"))?.[0] === 200);
  const read = await fetch(`${gateway.address}/api/testobjects`);
  expect([read.status, read.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await read.json()).toEqual({
    status: 503,
    code: "unavailable",
    message: expect.stringMatching(/starting: it waits for its database\. Try again/),
  });

  const browser = await launchBrowser();
  const page = await browser.newPage({ locale: "de-DE" });
  const faults: string[] = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  const opened = await page.goto(`${gateway.address}/imprint`);
  expect(opened?.status()).toBe(503);
  expect(opened?.headers()).toMatchObject({
    "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "retry-after": "5",
  });
  expect(await page.getByRole("heading").textContent()).toBe("Web Tester startet");
  expect(await page.getByRole("status").textContent()).toContain("auf die Datenbank gewartet");
  // its own style and script are allowed, the answers of the waiting gateway are no faults of the page
  expect(faults.filter((text) => /Content Security Policy/.test(text))).toEqual([]);
  database.finish();
  await until("the gateway's own answer", async () => (await page.getByText("Web Tester startet").count()) === 0);
  expect(page.url()).toBe(`${gateway.address}/imprint`);
  await browser.close();
  gateway.process.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await database.close();
});

test("a service that waits for its bus says so, and ends as it is told", async () => {
  const service = await start("differ", "HEALTH_PORT", { NATS_URL: "nats://127.0.0.1:1" });
  const ended = once(service.process, "exit");
  await until("a service that says what it waits for", () => service.said().includes("Waiting for the message bus"));
  expect(await service.ask("/readyz")).toEqual([503, expect.stringContaining("not connected to the message bus")]);
  service.process.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
