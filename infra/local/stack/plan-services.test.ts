import { describe, expect, test } from "@jest/globals";
import { planServices } from "./plan-services.mjs";
import { readSettings } from "./settings.mjs";

const stack = {
  address: "http://127.0.0.1:8080",
  databaseUrl: "postgres://u:p@127.0.0.1:5001/web",
  natsUrl: "nats://u:p@127.0.0.1:5002",
  storageUrl: "file:///data/objects",
};
const dataDir = { path: "/data", run: "/data/run", logs: "/data/logs", unlock: () => Promise.resolve() };

function plan(env: Record<string, string | undefined>, external: Partial<typeof stack> = {}) {
  return planServices({
    env,
    settings: readSettings(env),
    stack: { ...stack, ...external },
    gatewayPort: 8080,
    samplePort: 5003,
    backingPorts: [5001, 5002],
    secretKey: "a".repeat(64),
    dataDir,
  });
}

describe("planServices", () => {
  test("runs one of each, and as many workers as asked for", async () => {
    expect((await plan({})).map(({ name }) => name)).toEqual(["gateway", "crawler", "fetcher", "differ"]);
    expect((await plan({ FETCHERS: "2", CRAWLERS: "0" })).map(({ name }) => name)).toEqual([
      "gateway",
      "fetcher-1",
      "fetcher-2",
      "differ",
    ]);
    expect((await plan({ CRAWLERS: "0", FETCHERS: "0", DIFFERS: "0" })).map(({ name }) => name)).toEqual(["gateway"]);
  });

  test("gives every worker a health port of its own, and all ports to all", async () => {
    const plans = await plan({ FETCHERS: "2" });
    const healthPorts = plans.flatMap(({ env }) => env["HEALTH_PORT"] ?? []);
    expect(new Set(healthPorts).size).toBe(4);
    for (const { env } of plans) expect(env["OWN_PORTS"]?.split(",")).toEqual(["8080", "5001", "5002", ...healthPorts]);
  });

  test("adds the ports of servers on this machine that were named, and of no others", async () => {
    const [near] = await plan(
      {},
      {
        databaseUrl: "postgres://localhost/x",
        natsUrl: "nats://127.0.0.1:7,nats://10.0.0.1:8",
        storageUrl: "s3://bucket?endpoint=http://127.0.0.1:9",
      },
    );
    expect(near?.env["OWN_PORTS"]?.split(",")).toEqual(expect.arrayContaining(["5432", "7", "9"]));
    expect(near?.env["OWN_PORTS"]?.split(",")).not.toContain("8");
  });

  test("keeps the ports that a person names, and what is none for a service to refuse", async () => {
    const own = async (ports: string) => (await plan({ OWN_PORTS: ports }))[0]?.env["OWN_PORTS"]?.split(",");
    expect(await own("9000, 8080,x")).toEqual(expect.arrayContaining(["8080", "5001", "9000", "x"]));
    expect(await own(" ,")).not.toContain("");
  });

  test("only the gateway listens where HOST says", async () => {
    const plans = await plan({ HOST: "0.0.0.0" });
    expect(plans.map(({ env }) => env["HOST"])).toEqual(["0.0.0.0", "127.0.0.1", "127.0.0.1", "127.0.0.1"]);
  });

  test("passes what it does not know, keeps npm's variables back, and keeps a chosen EGRESS_PRIVATE", async () => {
    const [gateway] = await plan({
      LOG_LEVEL: "debug",
      npm_lifecycle_event: "start",
      NPM_TOKEN: "x",
      EGRESS_PRIVATE: "deny",
    });
    expect(gateway?.env).toMatchObject({
      MODE: "embedded",
      LOG_LEVEL: "debug",
      EGRESS_PRIVATE: "deny",
      SECRET_KEY: "a".repeat(64),
    });
    expect(Object.keys(gateway?.env ?? {}).filter((name) => /^npm_/i.test(name))).toEqual([]);
    expect((await plan({}))[0]?.env["EGRESS_PRIVATE"]).toBe("own-host");
  });
});
