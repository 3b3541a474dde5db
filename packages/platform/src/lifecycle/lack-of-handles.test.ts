import { describe, expect, test } from "@jest/globals";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Opens files until no handle is free, and prints what each part says about a server that it wants to reach before and after. */
const program = `
  import { openSync } from "node:fs";
  const { openDatabase } = await import("@web-tester/platform/database/database");
  const { openBus } = await import("@web-tester/platform/bus/open-bus");
  const { ensureBucket } = await import("@web-tester/platform/object-store/bucket-driver");
  const words = (asked) => asked.then(() => "no fault", (error) => error.message);
  const databaseAt = (host) => openDatabase("postgres://u:p@" + host + ":1/x", 2, () => undefined).query("SELECT 1");
  const bucket = { bucket: "abc", endpoint: "http://127.0.0.1:1", region: "x", forcePathStyle: true };
  const askAll = async () => [
    await words(databaseAt("127.0.0.1")),
    await words(databaseAt("localhost")),
    await words(openBus("nats://127.0.0.1:1", { name: "x", hostConcurrency: 1, ackWaitMs: 1000, onError() {} })),
    await words(ensureBucket(bucket, { accessKeyId: "a", secretAccessKey: "b" })),
  ];
  // what is loaded when it is first needed, is loaded now
  const before = await askAll();
  try { for (;;) openSync("/dev/null"); } catch {}
  console.log(JSON.stringify({ before, after: await askAll() }));
  process.exit(0);`;

const limited = `ulimit -n 64 && exec "$0" --input-type=module -e "$1"`;

describe("a process without a free file handle", () => {
  (process.platform === "linux" ? test : test.skip)(
    "says so, and not that a server is away (needs Linux)",
    async () => {
      const { stdout } = await promisify(execFile)("sh", ["-c", limited, process.execPath, program], {
        timeout: 60_000,
      });
      const { before, after } = JSON.parse(stdout) as { before: string[]; after: string[] };
      expect(before).toHaveLength(4);
      for (const said of before) expect(said).toMatch(/Check that|check the endpoint/);
      for (const said of after) expect(said).toMatch(/no file handle left/);
      for (const said of after) expect(said).not.toMatch(/check that/i);
    },
    60_000,
  );
});
