import { request } from "node:http";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { createHealthServer, type HealthServer } from "./health.js";
import { type Checks, runChecks, shareChecks } from "./run-checks.js";

const metrics = { contentType: "text/plain; version=0.0.4", metrics: async () => "web_tester_x 1\n" };
const fine = async () => undefined;
const away = async (): Promise<void> => {
  throw new AppError("unavailable", "The database does not answer: start it.");
};
/** Never settles, like a connection to a host that does not answer. */
const hangs = () => new Promise<void>(() => undefined);

let server: HealthServer | undefined;
afterEach(async () => {
  jest.useRealTimers();
  await server?.close();
  server = undefined;
});

async function start(checks: Checks): Promise<HealthServer> {
  server = await createHealthServer({ port: 0, host: "127.0.0.1", checks, metrics });
  return server;
}

function ask(
  path: string,
  method = "GET",
): Promise<{ status: number | undefined; type: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port: server?.port, path, method, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (body += part));
      response.on("end", () => resolve({ status: response.statusCode, type: response.headers["content-type"], body }));
    })
      .on("error", reject)
      .end();
  });
}

describe("health server", () => {
  test("answers that the process lives, whatever is away", async () => {
    await start({ database: away });
    expect(await ask("/healthz")).toEqual({ status: 200, type: "application/json", body: '{"status":"alive"}' });
  });

  test("is ready when everything can be reached", async () => {
    await start({ database: fine, bus: fine });
    expect(await ask("/readyz?verbose")).toMatchObject({ status: 200, body: '{"status":"ready"}' });
  });

  test("tells what does not work in full and what else is worth knowing, as soon as it is known", async () => {
    let note: string | null = null;
    const problems = new Map([["browser sandbox", async () => (note === null ? null : "There is none.")]]);
    const notes = new Map([["browser", () => note]]);
    server = await createHealthServer({ port: 0, host: "127.0.0.1", checks: { bus: fine }, problems, notes, metrics });
    expect(await ask("/readyz")).toMatchObject({ status: 200, body: '{"status":"ready"}' });
    note = "Chromium 153";
    expect(JSON.parse((await ask("/readyz")).body)).toEqual({
      status: "ready",
      degraded: [{ name: "browser sandbox", reason: "There is none." }],
      notes: [{ name: "browser", note: "Chromium 153" }],
    });
  });

  test("waits for no part that takes its time to find out what it lacks", async () => {
    const problems = new Map<string, () => Promise<string | null>>([
      ["browser", () => new Promise<null>(() => undefined)],
      ["browser age", async () => "It is old."],
    ]);
    server = await createHealthServer({ port: 0, host: "127.0.0.1", checks: {}, problems, metrics });
    expect(JSON.parse((await ask("/readyz")).body)).toEqual({
      status: "ready",
      degraded: [{ name: "browser age", reason: "It is old." }],
    });
  });

  test("names what cannot be reached, and is ready again when it can", async () => {
    let database = away;
    await start({
      database: () => database(),
      bus: fine,
      storage: () => Promise.reject(new Error("postgres://u:secret@h")),
    });
    const { status, body } = await ask("/readyz");
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({
      status: "not ready",
      unreachable: [
        { name: "database", reason: "The database does not answer: start it." },
        { name: "storage", reason: "It cannot be reached; the log says why." },
      ],
    });
    database = fine;
    expect(JSON.parse((await ask("/readyz")).body)).toMatchObject({ unreachable: [{ name: "storage" }] });
  });

  test("shows metrics", async () => {
    await start({});
    expect(await ask("/metrics")).toEqual({ status: 200, type: metrics.contentType, body: "web_tester_x 1\n" });
  });

  test.each([
    ["GET", "/", 404],
    ["GET", "/constructor", 404],
    ["GET", "/healthz/..", 404],
    ["POST", "/healthz", 405],
    ["DELETE", "/metrics", 405],
    ["HEAD", "/readyz", 200],
  ])("answers %s %s with %i", async (method, path, status) => {
    await start({});
    expect((await ask(path, method)).status).toBe(status);
  });

  test("lives on when metrics cannot be made", async () => {
    server = await createHealthServer({
      port: 0,
      host: "127.0.0.1",
      checks: {},
      metrics: { ...metrics, metrics: () => Promise.reject(new Error("no")) },
    });
    expect((await ask("/metrics")).status).toBe(500);
    expect((await ask("/healthz")).status).toBe(200);
  });

  test("says which port is taken", async () => {
    const { port } = await start({});
    await expect(createHealthServer({ port, host: "127.0.0.1", checks: {}, metrics })).rejects.toMatchObject({
      code: "unavailable",
      message: `The health server cannot listen on 127.0.0.1:${port}: free the port, or set another HEALTH_PORT.`,
    });
  });

  test.each(["192.0.2.7", "no-such-host.invalid"])("says that %s is no address of this machine", async (host) => {
    await expect(createHealthServer({ port: 0, host, checks: {}, metrics })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`${host}:0: this machine has no such address: set HOST`),
    });
  });
});

describe("checks", () => {
  test("gives each 2 s, all at once", async () => {
    jest.useFakeTimers();
    const outcome = runChecks({ database: hangs, bus: fine, storage: hangs });
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await outcome).toEqual([
      { name: "database", reason: "It did not answer within 2 s." },
      { name: "storage", reason: "It did not answer within 2 s." },
    ]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test("run once for all who ask at the same time, and again for those who ask later", async () => {
    let rounds = 0;
    const ready = shareChecks({ database: async () => void rounds++ });
    await Promise.all([ready(), ready(), ready()]);
    expect(rounds).toBe(1);
    await ready();
    expect(rounds).toBe(2);
  });

  test("takes a check that throws at once like one that rejects", async () => {
    const broken = () => {
      throw new AppError("internal", "Broken.");
    };
    expect(await runChecks({ broken })).toEqual([{ name: "broken", reason: "Broken." }]);
  });
});
