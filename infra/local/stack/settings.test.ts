import { describe, expect, test } from "@jest/globals";
import { isLoopback, reachableHost, readSettings, withoutPassword } from "./settings.mjs";

describe("readSettings", () => {
  test("gives the documented defaults where nothing, or nothing but blanks, is set", () => {
    const defaults = readSettings({});
    expect(defaults).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      databaseUrl: undefined,
      natsUrl: undefined,
      storageUrl: undefined,
    });
    expect(defaults.processes).toEqual({ crawler: 1, fetcher: 1, differ: 1 });
    expect(defaults.dataDir).toMatch(/[\\/]data$/);
    expect(readSettings({ HOST: "", PORT: " ", DATA_DIR: "", DATABASE_URL: "", NATS_URL: "  " })).toEqual(defaults);
  });

  test.each([
    ["PORT", "abc"],
    ["PORT", "-1"],
    ["PORT", "65536"],
    ["PORT", "80.5"],
    ["PORT", "0x50"],
    ["FETCHERS", "many"],
    ["CRAWLERS", "65"],
    ["DATABASE_URL", "localhost:5432"],
    ["DATABASE_URL", "mysql://127.0.0.1/x"],
    ["NATS_URL", "http://127.0.0.1:4222"],
    ["STORAGE_URL", "/var/objects"],
  ])("names %s when it is %j", (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(name);
  });

  test("names every faulty setting at once", () => {
    expect(() => readSettings({ PORT: "x", FETCHERS: "y", NATS_URL: "z" })).toThrow(/PORT.*NATS_URL.*FETCHERS/);
  });

  test.each([
    [{ PORT: "0" }, { port: 0 }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [{ FETCHERS: "4", CRAWLERS: "0", DIFFERS: "2" }, { processes: { fetcher: 4, crawler: 0, differ: 2 } }],
    [{ NATS_URL: "nats://a:1,nats://b:2" }, { natsUrl: "nats://a:1,nats://b:2" }],
    [
      { STORAGE_URL: "s3://bucket?endpoint=http://127.0.0.1:9000" },
      { storageUrl: "s3://bucket?endpoint=http://127.0.0.1:9000" },
    ],
  ])("takes %j", (env, expected) => {
    expect(readSettings(env)).toMatchObject(expected);
  });
});

test.each([
  ["127.0.0.1", "127.0.0.1", true],
  ["localhost", "localhost", true],
  ["127.9.9.9", "127.9.9.9", true],
  ["::1", "[::1]", true],
  ["0.0.0.0", "127.0.0.1", false],
  ["::", "[::1]", false],
  ["192.0.2.1", "192.0.2.1", false],
  ["127.example.org", "127.example.org", false],
])("host %s is reached as %s; only from this machine: %s", (host, reached, loopback) => {
  expect(reachableHost(host)).toBe(reached);
  expect(isLoopback(host)).toBe(loopback);
});

test("an address is shown without user, password and options", () => {
  expect(withoutPassword("postgres://me:geheim@db.example:5432/x?sslpassword=geheim")).toBe(
    "postgres://db.example:5432/x",
  );
});
