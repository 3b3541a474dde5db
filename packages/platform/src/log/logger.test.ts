import { describe, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import fc from "fast-check";
import { z } from "zod";
import { createLogger, type Logger } from "./logger.js";

/** Returns the lines that a logger writes during `use`. */
function written(use: (log: Logger) => void, level: "info" | "silent" = "info"): string[] {
  const lines: string[] = [];
  use(createLogger("tester", level, { write: (line: string) => void lines.push(line) }));
  return lines;
}

const parse = (line: string | undefined) => z.record(z.string(), z.unknown()).parse(JSON.parse(line ?? ""));

test("writes one JSON object per line, with service, level, time and message", () => {
  const lines = written((log) => {
    log.info({ page: "a\nb" }, "first\nline");
    log.debug("too fine");
    log.warn("second");
  });
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line.indexOf("\n")).toBe(line.length - 1);
  expect(parse(lines[0])).toMatchObject({
    service: "tester",
    level: "info",
    page: "a\nb",
    msg: "first\nline",
    pid: process.pid,
  });
  expect(z.iso.datetime().safeParse(parse(lines[0])["time"]).success).toBe(true);
});

test("says nothing when silent", () => {
  expect(written((log) => log.fatal("x"), "silent")).toEqual([]);
});

test("writes errors with their code, stack and causes", () => {
  const [bare, named] = written((log) => {
    log.error(new AppError("unavailable", "The database is away.", { cause: new Error("ECONNREFUSED") }), "It failed");
    log.error({ error: new Error("plain") }, "It failed again");
  }).map(parse);
  expect(bare).toMatchObject({
    msg: "It failed",
    err: {
      code: "unavailable",
      message: expect.stringContaining("ECONNREFUSED"),
      stack: expect.stringContaining("logger.test"),
    },
  });
  expect(named).toMatchObject({ error: { message: "plain", stack: expect.any(String) } });
});

describe("never writes secrets", () => {
  const secret = "hunter2-hunter2";
  const uses: [string, (log: Logger) => void][] = [
    ["in a field", (log) => log.info({ password: secret }, "x")],
    [
      "in a nested field",
      (log) =>
        log.info(
          { request: { headers: { Authorization: `Digest ${secret}`, cookie: secret, "set-cookie": [secret] } } },
          "x",
        ),
    ],
    ["in a list of objects", (log) => log.info({ rows: [{ auth_password: secret }, { api_key: secret }] }, "x")],
    ["in a raw header list", (log) => log.info({ rawHeaders: ["Accept", "*/*", "X-API-Token", secret] }, "x")],
    ["in an object under a telling name", (log) => log.info({ credentials: { value: secret } }, "x")],
    [
      "in the environment",
      (log) => log.info({ env: { SECRET_KEY: secret, AWS_SECRET_ACCESS_KEY: secret, API_TOKEN: secret } }, "x"),
    ],
    ["in a child's bindings", (log) => log.child({ token: secret }).info("x")],
    ["in an address", (log) => log.info({ url: `postgres://user:${secret}@host/db` }, "x")],
    ["as a user name in an address", (log) => log.info({ url: `https://${secret}@host/` }, "x")],
    ["in an address in the message", (log) => log.info(`cannot reach nats://u:${secret}@host:4222 now`)],
    ["in an address with an odd password", (log) => log.info(`s3://u:it's?#${secret}@host`)],
    ["in the message of an error", (log) => log.error(new Error(`connect to redis://:${secret}@h failed`), "x")],
    [
      "in a property of an error",
      (log) => log.error(Object.assign(new Error("x"), { config: { token: secret } }), "x"),
    ],
    ["in a cause", (log) => log.error(new Error("x", { cause: new Error(`amqp://u:${secret}@h`) }))],
    ["as a bearer credential in text", (log) => log.info({ curl: `-H 'Authorization: Bearer ${secret}'` }, "x")],
    ["as raw bytes", (log) => log.info({ body: Buffer.from(secret) }, "x")],
    [
      "beyond any sensible depth",
      (log) => log.info({ a: { b: { c: { d: { e: { f: { g: { h: secret } } } } } } } }, "x"),
    ],
  ];

  test.each(uses)("%s", (_name, use) => {
    const lines = written(use);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain(secret);
    expect(() => parse(lines[0])).not.toThrow();
  });

  test("while it keeps what is none", () => {
    const fields = {
      url: "https://example.org/a@b?x=1",
      headers: { accept: "text/html" },
      auth_enabled: true,
      tokens: 3,
      at: new Date(0),
      none: null,
      list: ["password"],
    };
    const [line] = written((log) => log.info(fields, "mail me@example.org")).map(parse);
    expect(line).toMatchObject({ ...fields, at: "1970-01-01T00:00:00.000Z", msg: "mail me@example.org" });
  });
});

test("writes readable JSON whatever it is given", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.string(), (fields, message) => {
      // A name that pino itself uses appears twice, which JSON allows.
      const lines = written((log) => log.info(fields, "%s", message));
      expect(lines).toHaveLength(1);
      expect(() => JSON.parse(lines[0] ?? "")).not.toThrow();
    }),
  );
});

test("survives fields that contain themselves", () => {
  const loop: Record<string, unknown> = { name: "loop" };
  loop["self"] = loop;
  expect(written((log) => log.info({ loop }, "x")).map(parse)[0]).toMatchObject({ loop: { name: "loop" }, msg: "x" });
});
