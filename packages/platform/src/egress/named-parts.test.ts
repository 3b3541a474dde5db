import { expect, test } from "@jest/globals";
import { namedParts } from "./named-parts.js";

const config = {
  databaseUrl: "postgres://user:secret@db.internal/product",
  natsUrl: "nats://user:secret@nats-0.nats, tls://[fd00::7]:4333,nats://10.0.0.9:4222",
  storageUrl: "s3://bucket/pages?endpoint=https://s3.internal&region=x",
  otelExporterOtlpEndpoint: "http://collector:4318/v1",
  ownPorts: [5432],
  ownAddresses: [{ host: "gateway", port: 80 }],
  host: "0.0.0.0",
  port: 8080,
  healthPort: 9090,
};

test("all that the settings name is there, with the port that each protocol has where none is said", () => {
  expect(namedParts(config)).toEqual([
    { host: "db.internal", port: 5432 },
    { host: "nats-0.nats", port: 4222 },
    { host: "fd00::7", port: 4333 },
    { host: "10.0.0.9", port: 4222 },
    { host: "s3.internal", port: 443 },
    { host: "collector", port: 4318 },
    { host: "127.0.0.1", port: 8080 },
    { host: "127.0.0.1", port: 9090 },
    { host: "127.0.0.1", port: 5432 },
    { host: "gateway", port: 80 },
  ]);
});

test.each([
  ["postgres:///product?host=10.0.0.3&port=6432", [{ host: "10.0.0.3", port: 6432 }]],
  ["postgresql:///product", [{ host: "localhost", port: 5432 }]],
  ["postgresql:///product?host=/run/postgresql", []],
])("the database of %s", (databaseUrl, expected) => {
  const plain = { ownPorts: [], ownAddresses: [], otelExporterOtlpEndpoint: undefined, healthPort: undefined, port: 0 };
  expect(namedParts({ ...config, ...plain, databaseUrl, natsUrl: "", storageUrl: "file:/x" })).toEqual(expected);
});
