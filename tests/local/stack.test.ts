import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { type Stack, type StackOptions, startStack } from "../../infra/local/stack.mjs";
import { birthOf } from "../../infra/local/stack/process-birth.mjs";
import { until } from "../../infra/local/stack/until.mjs";
import { query } from "../support/query.js";

const state = z.object({
  pid: z.number(),
  address: z.string(),
  parts: z.array(z.object({ name: z.string(), pid: z.number().nullable(), embedded: z.boolean() })),
});

let folder = "";
let dataDir = "";
const started: Stack[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-stack-"));
  // Postgres runs as another user if the tests run as root.
  await chmod(folder, 0o711);
  dataDir = join(folder, "data");
});
afterEach(async () => {
  for (const stack of started.splice(0)) await stack.stop();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(env: Record<string, string> = {}, options: StackOptions = { services: false }): Promise<Stack> {
  const stack = await startStack({ PATH: process.env["PATH"], DATA_DIR: dataDir, PORT: "0", ...env }, options);
  started.push(stack);
  return stack;
}

const soon = <T>(condition: () => Promise<T | undefined> | T | undefined) =>
  until(condition, { timeoutMs: 30_000, everyMs: 50 });
const readState = async () => state.parse(JSON.parse(await readFile(join(dataDir, "run", "stack.json"), "utf8")));
const pidOf = (stack: Stack, name: string) => stack.parts().find((part) => part.name === name)?.pid ?? undefined;
const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

describe("a stack", () => {
  test("serves, names its parts, and leaves nothing running", async () => {
    const stack = await start({}, {});
    expect((await fetch(`${stack.address}/readyz`)).status).toBe(200);
    expect(stack.embedded).toEqual(["postgres", "nats", "storage"]);
    const noted = await readState();
    expect(noted.parts.map(({ name }) => name)).toEqual([
      "postgres",
      "nats",
      "storage",
      "gateway",
      "crawler",
      "fetcher",
      "differ",
    ]);
    const pids = noted.parts.flatMap(({ pid }) => pid ?? []);
    expect(pids.map(birthOf)).not.toContain(undefined);
    for (const secret of ["secrets.json", "run/stack.json", "run/nats.conf"])
      expect((await stat(join(dataDir, secret))).mode & 0o777).toBe(0o600);

    await stack.stop();
    expect(pids.map(birthOf)).toEqual(pids.map(() => undefined));
    expect(await exists(join(dataDir, "run", "stack.json"))).toBe(false);
    expect(await exists(join(dataDir, "run", "lock"))).toBe(false);
  }, 90_000);

  test("finds its data and its secrets again", async () => {
    const first = await start();
    const secrets = await readFile(join(dataDir, "secrets.json"), "utf8");
    await query(first.databaseUrl, "CREATE TABLE kept AS SELECT 42 AS answer");
    await first.stop();
    const second = await start();
    expect(await query(second.databaseUrl, "TABLE kept")).toEqual([{ answer: 42 }]);
    expect(await readFile(join(dataDir, "secrets.json"), "utf8")).toBe(secrets);
    await query(second.databaseUrl, "DROP TABLE kept");
  }, 60_000);

  test("lets nobody in without the password", async () => {
    const { databaseUrl } = await start();
    const wrong = new URL(databaseUrl);
    wrong.password = "wrong";
    await expect(query(wrong.href, "SELECT 1")).rejects.toMatchObject({ code: "28P01" });
    expect(await query(databaseUrl, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  }, 60_000);

  test.each(["postgres", "nats"])(
    "starts %s again when it dies, at the same address",
    async (name) => {
      const lines: string[] = [];
      const stack = await start({}, { services: false, log: (line) => lines.push(line) });
      const first = pidOf(stack, name);
      if (first === undefined) throw new Error(`${name} is not running`);
      process.kill(first, "SIGKILL");
      const second = await soon(() => (pidOf(stack, name) === first ? undefined : pidOf(stack, name)));
      expect(second).toBeDefined();
      expect(lines).toContainEqual(expect.stringContaining(`${name} stopped by itself (killed by SIGKILL)`));
      expect((await readState()).parts.find((part) => part.name === name)?.pid).toBe(second);
      const answers = await soon(() => query(stack.databaseUrl, "SELECT 1 AS one").catch(() => undefined));
      expect(answers).toEqual([{ one: 1 }]);
    },
    60_000,
  );
});

describe("a stack whose own process is killed", () => {
  /** Starts a stack in a process of its own. */
  async function inProcess() {
    const module = pathToFileURL(join(import.meta.dirname, "../../infra/local/stack.mjs")).href;
    const script = `import { startStack } from ${JSON.stringify(module)};
      await startStack(process.env, { services: false });
      console.log("up");
      setInterval(() => {}, 1000);`;
    const env = { PATH: process.env["PATH"], DATA_DIR: dataDir, PORT: "0" };
    const holder = spawn(process.execPath, ["--input-type=module", "-e", script], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    const pids = (await readState()).parts.flatMap(({ pid }) => pid ?? []);
    expect(pids).toHaveLength(2);
    const children = (await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8"))
      .trim()
      .split(" ")
      .map(Number);
    const [watchdog, ...others] = children.filter((pid) => !pids.includes(pid));
    if (watchdog === undefined || others.length > 0)
      throw new Error(`The watchdog is not to be told from ${others.join(", ")}`);
    return { holder, pids, watchdog };
  }
  const anyLeft = (pids: number[]) => pids.some((pid) => birthOf(pid) !== undefined);

  test("takes its parts with it", async () => {
    const { holder, pids } = await inProcess();
    holder.kill("SIGKILL");
    expect(await soon(() => (anyLeft(pids) ? undefined : "gone"))).toBe("gone");
    await start();
  }, 60_000);

  test("is cleaned up after by the next start when the watchdog is killed as well", async () => {
    const { holder, pids, watchdog } = await inProcess();
    process.kill(watchdog, "SIGKILL");
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(anyLeft(pids)).toBe(true);
    const lines: string[] = [];
    await start({}, { services: false, log: (line) => lines.push(line) });
    expect(anyLeft(pids)).toBe(false);
    expect(lines[0]).toContain("Ending what an earlier start has left running");
  }, 60_000);

  test("ends no process that merely got a noted pid", async () => {
    const stranger = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    try {
      const noted = {
        pid: 1,
        address: "",
        databaseUrl: "",
        natsUrl: "",
        storageUrl: "",
        parts: [{ name: "nats", pid: stranger.pid, birth: "another:1", embedded: true }],
      };
      await writeFile(join(dataDir, "run", "stack.json"), JSON.stringify(noted));
      await start();
      expect(birthOf(stranger.pid ?? 0)).toBeDefined();
    } finally {
      stranger.kill("SIGKILL");
    }
  }, 60_000);
});

describe("a start that cannot be", () => {
  async function expectRefusal(env: Record<string, string>, says: RegExp): Promise<void> {
    const error: unknown = await start(env, {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "StartError", message: expect.stringMatching(says) });
    expect(String(error)).not.toContain("\n");
  }
  /** Expects that nothing half-started is left: neither the lock nor the state. */
  async function expectNothingLeft(): Promise<void> {
    expect(await exists(join(dataDir, "run", "stack.json"))).toBe(false);
    expect(await exists(join(dataDir, "run", "lock"))).toBe(false);
  }

  test("names all wrong settings at once, its own and those of services, before anything starts", async () => {
    const lines: string[] = [];
    const env = { FETCHERS: "many", PORT: "x", LOG_LEVEL: "loud", SMTP_URL: "smtp://", SECRET_KEY: "too short" };
    const error = await start(env, { log: (line) => lines.push(line) }).catch(String);
    for (const variable of Object.keys(env)) expect(String(error).split(variable)).toHaveLength(2);
    expect(error).not.toContain("too short");
    expect(lines).toEqual([]);
  });

  test("names a file that is to hold a secret and cannot be read", async () => {
    await expectRefusal({ API_TOKEN_FILE: join(folder, "none") }, /^Wrong settings: API_TOKEN_FILE names a file/);
  });

  test("names the busy port", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      await expectRefusal({ PORT: String(port) }, new RegExp(`^Port ${port} on 127.0.0.1 is in use .*PORT=`));
    } finally {
      server.close();
    }
    await expectNothingLeft();
  });

  test.each([
    [
      "a HOST that is not ours",
      { HOST: "192.0.2.1", PORT: "18080" },
      /^HOST=192\.0\.2\.1 is not an address of this machine/,
    ],
    [
      "a database that does not answer",
      { DATABASE_URL: "postgres://u:geheim@127.0.0.1:1/x" },
      /^DATABASE_URL: .*postgres:\/\/127\.0\.0\.1:1\/x does not answer/,
    ],
    [
      "a bus that does not answer",
      { NATS_URL: "nats://u:geheim@127.0.0.1:1" },
      /^NATS_URL: .*127\.0\.0\.1:1.* does not answer/,
    ],
    ["wrong settings", { PORT: "x", FETCHERS: "y" }, /^Wrong settings: PORT .*; FETCHERS /],
    ["a storage of no known kind", { STORAGE_URL: "ftp://x" }, /^Wrong settings: STORAGE_URL /],
    [
      "a data directory below /proc",
      { DATA_DIR: "/proc/web-tester" },
      /^The data directory \/proc\/web-tester cannot be used/,
    ],
  ])(
    "names %s",
    async (_what, env, says) => {
      await expectRefusal(env, says);
      await expectNothingLeft();
    },
    30_000,
  );

  test("names a data directory that is a file", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    await expectRefusal({ DATA_DIR: file }, /is not a folder/);
  });

  test("names the start that uses the data directory, and leaves that one alone", async () => {
    const stack = await start();
    await expectRefusal({}, new RegExp(`in use by another start \\(process ${process.pid}\\)`));
    expect(await query(stack.databaseUrl, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  }, 60_000);

  test("uses a database and a bus that are named instead of its own", async () => {
    const other = await start();
    const stack = await start({
      DATA_DIR: join(folder, "second"),
      DATABASE_URL: other.databaseUrl,
      NATS_URL: other.natsUrl,
    });
    expect(stack.embedded).toEqual(["storage"]);
    expect(stack.parts().map(({ pid }) => pid)).toEqual([null, null, null]);
    const wrong = new URL(other.natsUrl);
    wrong.password = "wrong";
    await expectRefusal({ DATA_DIR: join(folder, "third"), NATS_URL: wrong.href }, /^NATS_URL: .* does not let us in/);
  }, 60_000);

  test("waits a little for a database that does not answer yet, unless it is broken off", async () => {
    const breaking = new AbortController();
    const log = (line: string) => /^Waiting for DATABASE_URL: .* does not answer/.test(line) && breaking.abort();
    const env = { DATABASE_URL: "postgres://u:geheim@127.0.0.1:1/x" };
    await expect(start(env, { log, signal: breaking.signal })).rejects.toMatchObject({ name: "AbortError" });
    await expectNothingLeft();
  }, 60_000);

  test("ends cleanly when it is broken off", async () => {
    const breaking = new AbortController();
    const log = (line: string) => line.startsWith("PostgreSQL is ready") && breaking.abort();
    await expect(start({}, { log, signal: breaking.signal })).rejects.toMatchObject({ name: "AbortError" });
    await expectNothingLeft();
  }, 60_000);
});
