import { describe, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { z } from "zod";
import { configVariables, loadConfig, requireSecretKey } from "./config.js";

const required = {
  DATABASE_URL: "postgres://u:p@localhost:5432/db",
  NATS_URL: "nats://localhost:4222",
  STORAGE_URL: "file:/var/objects",
};

const load = (env: Record<string, string | undefined>) => loadConfig({ ...required, ...env });

function faultOf(env: Record<string, string | undefined>): AppError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("no fault was found");
}

test("has defaults for all but the three addresses", () => {
  expect(load({})).toEqual({
    mode: "cluster",
    host: "127.0.0.1",
    port: 8080,
    dataDir: "./data",
    databaseUrl: required.DATABASE_URL,
    databasePool: 8,
    natsUrl: required.NATS_URL,
    natsReplicas: 1,
    storageUrl: required.STORAGE_URL,
    apiTokenHeader: "X-API-Token",
    allowedHosts: [],
    rateLimit: 6_000,
    sessionHours: 168,
    auditDays: 365,
    oidcScopes: "openid profile email",
    oidcRoleClaim: "roles",
    oidcRoles: [],
    oidcName: "single sign-on",
    trustedProxies: [],
    connectionLimit: 500,
    sameSite: "refuse",
    egressPrivate: "deny",
    egressAllow: [],
    undoSeconds: 30,
    uploadStallMs: 60_000,
    ownPorts: [],
    ownAddresses: [],
    chromiumSandbox: "preferred",
    hostConcurrency: 8,
    fetchConcurrency: 32,
    logLevel: "info",
    reconcileMs: 5_000,
    leaseMs: 10_000,
  });
});

describe("reads", () => {
  const hex = "0f".repeat(32);
  const base64 = Buffer.from(hex, "hex").toString("base64");
  const key = Buffer.from(hex, "hex");
  test.each([
    [{ PORT: "0" }, { port: 0 }],
    [{ PORT: " 65535 " }, { port: 65_535 }],
    [{ HEALTH_PORT: "9090" }, { healthPort: 9_090 }],
    [{ HOST: "::" }, { host: "::" }],
    [{ HOST: "0.0.0.0" }, { host: "0.0.0.0" }],
    [{ HOST: "" }, { host: "127.0.0.1" }],
    [{ API_TOKEN: "s3cret!" }, { apiToken: "s3cret!" }],
    [{ SECRET_KEY: hex }, { secretKey: key }],
    [{ SECRET_KEY: hex.toUpperCase() }, { secretKey: key }],
    [{ SECRET_KEY: base64 }, { secretKey: key }],
    [{ SECRET_KEY: base64.replace("=", "") }, { secretKey: key }],
    [{ MODE: "embedded" }, { mode: "embedded", egressPrivate: "own-host" }],
    [{ MODE: "embedded", EGRESS_PRIVATE: "deny" }, { egressPrivate: "deny" }],
    [{ EGRESS_PRIVATE: "own-host" }, { mode: "cluster", egressPrivate: "own-host" }],
    [
      { EGRESS_ALLOW: "Intranet.Example, 10.1.0.0/16,,[fd00::1], fd00::/8" },
      { egressAllow: ["intranet.example", "10.1.0.0/16", "fd00::1", "fd00::/8"] },
    ],
    [{ OWN_PORTS: "8080,5432" }, { ownPorts: [8_080, 5_432] }],
    [
      { OWN_ADDRESSES: "Gateway:80, [fd00::1]:5432" },
      {
        ownAddresses: [
          { host: "gateway", port: 80 },
          { host: "fd00::1", port: 5_432 },
        ],
      },
    ],
    [{ NATS_URL: "nats://a:4222, tls://u:p@b:4222" }, { natsUrl: "nats://a:4222, tls://u:p@b:4222" }],
    [{ STORAGE_URL: "s3://objects/p?endpoint=http://s3:9000&region=r&forcePathStyle=true" }, {}],
    [
      { RECONCILE_MS: "200", LEASE_MS: "500" },
      { reconcileMs: 200, leaseMs: 500 },
    ],
    [
      { WEB_DIR: "web/dist", CHROMIUM_PATH: "/usr/bin/chromium", SOMETHING_ELSE: "x" },
      { webDir: "web/dist", chromiumPath: "/usr/bin/chromium" },
    ],
  ])("%j", (env, expected) => {
    expect(load(env)).toMatchObject(expected);
  });
});

describe("refuses", () => {
  test.each([
    ["MODE", "production", "embedded or cluster"],
    ["HOST", "my host", "an IP address or a host name"],
    ["PORT", "65536", "from 0 to 65535"],
    ["PORT", "-1", "from 0 to 65535"],
    ["PORT", "80.5", "from 0 to 65535"],
    ["PORT", "0x50", "from 0 to 65535"],
    ["HEALTH_PORT", "http", "from 0 to 65535"],
    ["DATABASE_URL", "mysql://localhost/db", "postgres://"],
    ["DATABASE_URL", "localhost", "postgres://"],
    ["NATS_URL", "http://localhost:4222", "nats://"],
    ["NATS_URL", "nats://a:4222,", "nats://"],
    ["STORAGE_URL", "ftp://host", "file:/path or s3://bucket"],
    ["STORAGE_URL", "file:/a?sync=1", "other than fsync"],
    ["SECRET_KEY", "short", "32 bytes"],
    ["SECRET_KEY", "0f".repeat(31), "32 bytes"],
    ["SECRET_KEY", "zz".repeat(32), "32 bytes"],
    ["API_TOKEN", "two words", "without spaces"],
    ["API_TOKEN", "schlüssel", "visible ASCII"],
    ["API_TOKEN_HEADER", "X-Token:", "the name of a header"],
    ["EGRESS_PRIVATE", "allow", "own-host or deny"],
    ["EGRESS_ALLOW", "10.0.0.0/33", "networks"],
    ["EGRESS_ALLOW", "ok.example,http://x", "networks"],
    ["OWN_PORTS", "80,0", "from 1 to 65535"],
    ["HOST_CONCURRENCY", "0", "from 1 to 64"],
    ["HOST_CONCURRENCY", "65", "from 1 to 64"],
    ["FETCH_CONCURRENCY", "many", "from 1 to 1024"],
    ["LOG_LEVEL", "INFO", "trace, debug, info"],
    ["LEASE_MS", "0", "from 100"],
    ["RECONCILE_MS", "1e3", "from 100"],
    ["DATABASE_POOL", "0", "from 1 to 200"],
    ["SMTP_URL", "http://a", "smtp://user:password@host:587"],
    ["SMTP_URL", "smtp://u:p@h?security=none", "never sent in the clear"],
  ])("%s=%j", (variable, value, words) => {
    const error = faultOf({ ...required, [variable]: value });
    expect(error).toMatchObject({ code: "invalid_input", details: [{ variable }] });
    expect(error.message).toMatch(new RegExp(`fault. ${variable}`));
    expect(error.message).toContain(words);
  });

  test("an identity provider without the client that it knows us as", () => {
    const error = faultOf({ ...required, OIDC_ISSUER: "https://login.example.org" });
    expect(error).toMatchObject({ details: [{ variable: "OIDC_CLIENT_ID" }] });
    expect(error.message).toContain("because OIDC_ISSUER is set");
  });

  test("what is missing", () => {
    const error = faultOf({});
    for (const variable of Object.keys(required)) expect(error.message).toContain(`${variable} is not set: write `);
  });

  test("everything that is wrong at once, on one line, each variable once", () => {
    const error = faultOf({
      PORT: "x",
      OWN_PORTS: "a,b,c",
      LOG_LEVEL: "loud\nline",
      NATS_URL: "nats://ok:1",
      STORAGE_URL: "nowhere",
    });
    expect(error.message).toContain("5 faults");
    const faults = z.array(z.object({ variable: z.string(), message: z.string() })).parse(error.details);
    expect(new Set(faults.map((fault) => fault.variable))).toEqual(
      new Set(["PORT", "OWN_PORTS", "LOG_LEVEL", "STORAGE_URL", "DATABASE_URL"]),
    );
    expect(faults).toHaveLength(5);
    expect(error.message).not.toContain("\n");
  });

  test("a long value without repeating all of it", () => {
    expect(faultOf({ ...required, PORT: "9".repeat(100_000) }).message.length).toBeLessThan(300);
  });

  /** Settings that accept any text of ordinary length. */
  const anyText: readonly string[] = [
    ...["DATA_DIR", "WEB_DIR", "CHROMIUM_PATH", "PROVIDER_NAME", "PROVIDER_ADDRESS"],
    ...["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_SCOPES", "OIDC_ROLE_CLAIM", "OIDC_NAME"],
  ];

  test("secrets without showing them; other values are shown", () => {
    const value = "do-not-show me";
    for (const { name, secret } of configVariables) {
      if (anyText.includes(name)) continue;
      const error = faultOf({ ...required, [name]: value });
      expect(JSON.stringify([error.message, error.details]).includes(value)).toBe(!secret);
    }
  });
});

test("takes an empty variable for an unset one", () => {
  expect(load({ API_TOKEN: "  ", PORT: "", SECRET_KEY: "" })).toEqual(load({}));
});

test("asks for the secret key only where it is needed", () => {
  expect(() => requireSecretKey(load({}))).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: expect.stringContaining("SECRET_KEY is not set: write 32 bytes"),
    }),
  );
  expect(requireSecretKey(load({ SECRET_KEY: "00".repeat(32) }))).toEqual(Buffer.alloc(32));
});

test("describes every variable for the documentation", () => {
  expect(configVariables.find(({ name }) => name === "PORT")).toEqual({
    name: "PORT",
    description: "Port of the gateway; 0 takes any free one",
    write: "a whole number from 0 to 65535, for example 8080",
    initial: "8080",
    required: false,
    secret: false,
  });
  expect(configVariables.filter((variable) => variable.required).map(({ name }) => name)).toEqual(
    Object.keys(required),
  );
  for (const { description, write } of configVariables) {
    expect(description).not.toBe("");
    expect(write).not.toBe("");
  }
});
