import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Stack, type StackOptions, startStack } from "../../infra/local/stack.mjs";
import { birthOf } from "../../infra/local/stack/process-birth.mjs";
import { embeddedPostgres, findBinaries } from "../../infra/local/stack/postgres.mjs";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { query } from "../support/query.js";

/** The content of a data directory is never removed, and never taken over silently, however the directory came to where it is. */

let folder = "";
let dataDir = "";
let lines: string[] = [];
const started: Stack[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-data-"));
  await chmod(folder, 0o711); // PostgreSQL runs as another user if the tests run as root
});
beforeEach(() => {
  lines = [];
});
afterEach(stopAll);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function stopAll(): Promise<void> {
  for (const stack of started.splice(0)) await stack.stop();
}

async function start(env: Record<string, string> = {}, options: StackOptions = { services: false }): Promise<Stack> {
  const stack = await startStack(
    { PATH: process.env["PATH"], DATA_DIR: dataDir, PORT: "0", ...env },
    { ...options, log: (line) => lines.push(line) },
  );
  started.push(stack);
  return stack;
}

async function refusal(env: Record<string, string> = {}, options?: StackOptions): Promise<string> {
  const error: unknown = await start(env, options).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "StartError" });
  expect(String(error)).not.toContain("\n");
  return String(error);
}

/** Makes a data directory with a table and an object in it, and stops its stack. */
async function withData(name: string): Promise<void> {
  dataDir = join(folder, name);
  const { databaseUrl } = await start();
  await query(databaseUrl, "CREATE TABLE kept AS SELECT 42 AS answer");
  await writeFile(join(dataDir, "objects", "bytes"), "bytes of a page");
  await stopAll();
  lines = [];
}
const expectData = async (stack: Stack) =>
  expect(await query(stack.databaseUrl, "TABLE kept")).toEqual([{ answer: 42 }]);
const asideOf = async (what: string) => {
  const found = (await readdir(dataDir)).filter((name) => name.startsWith(`${what}.set-aside-`));
  expect(found).toHaveLength(1);
  return join(dataDir, found[0] ?? "");
};

describe("a database", () => {
  test("is used when the mark beside it is missing, and gets it again", async () => {
    await withData("unmarked");
    await rm(join(dataDir, "postgres.complete"));
    await expectData(await start());
    expect((await stat(join(dataDir, "postgres.complete"))).isFile()).toBe(true);
    expect(await readFile(join(dataDir, "objects", "bytes"), "utf8")).toBe("bytes of a page");
  });

  test("that is broken is kept under another name, and with it the bytes that the collector would remove", async () => {
    await withData("broken");
    const lost = join(dataDir, "postgres", "global", "pg_control");
    const content = await readFile(lost);
    await rm(lost);
    const { databaseUrl } = await start();
    await expect(query(databaseUrl, "TABLE kept")).rejects.toMatchObject({ code: "42P01" });
    const [database, objects] = [await asideOf("postgres"), await asideOf("objects")];
    expect(lines).toContainEqual(expect.stringContaining(`(global/pg_control is missing): it is kept in ${database}`));
    expect(lines).toContainEqual(expect.stringContaining(`it is kept in ${objects}`));
    expect(await readFile(join(objects, "bytes"), "utf8")).toBe("bytes of a page");
    expect(await readdir(join(dataDir, "objects"))).toEqual([]);

    // once both are moved back and the lost file is restored, all data is there again
    await stopAll();
    for (const [name, aside] of [["postgres", database] as const, ["objects", objects] as const]) {
      await rm(join(dataDir, name), { recursive: true });
      await rename(aside, join(dataDir, name));
    }
    await writeFile(lost, content);
    await expectData(await start());
  });

  test("that is broken is left where it is when the bytes are elsewhere", async () => {
    await withData("bytes-elsewhere");
    await rm(join(dataDir, "postgres", "PG_VERSION"));
    expect(await refusal({ STORAGE_URL: `file:${join(folder, "elsewhere")}` })).toMatch(
      /is no whole database \(PG_VERSION is missing\).*STORAGE_URL/,
    );
    expect(await readdir(join(dataDir, "postgres"))).toContain("global");
  });

  test("whose making was cut off is made anew", async () => {
    dataDir = join(folder, "cut-off");
    const draft = join(dataDir, "postgres.making-123", "cluster");
    await mkdir(draft, { recursive: true });
    await writeFile(join(draft, "PG_VERSION"), "18\n");
    await start();
    expect((await readdir(dataDir)).filter((name) => name.startsWith("postgres"))).toEqual([
      "postgres",
      "postgres.complete",
    ]);
  });
});

describe("the secrets", () => {
  const key = "ab".repeat(32);

  test.each([
    ["missing", ""],
    ["damaged", '{ "secretKey": '],
  ])(
    "that are %s are not replaced in silence",
    async (how, text) => {
      await withData(`secrets-${how}`);
      const file = join(dataDir, "secrets.json");
      await (text === "" ? rm(file) : writeFile(file, text));
      expect(await refusal()).toMatch(
        new RegExp(`secrets.json is ${how}, and it has the key .* put it back from a copy.*SECRET_KEY`),
      );

      await expectData(await start({ SECRET_KEY: key }));
      expect(lines).toContainEqual(expect.stringContaining("New passwords of the embedded parts are made"));
      if (how === "damaged") expect(await readFile(await asideOf("secrets.json"), "utf8")).toBe(text);
      await stopAll();
      await expectData(await start({ SECRET_KEY: key }));
      await stopAll();
      // the key from the environment is not written down, and no other key is made in its place
      expect(await readFile(file, "utf8")).not.toContain(key);
      expect(await refusal({}, {})).toMatch(/SECRET_KEY is not set, and .*secrets.json has no key/);
    },
    60_000,
  );

  test("of another installation are recognized", async () => {
    await withData("secrets-other");
    const file = join(dataDir, "secrets.json");
    const own = await readFile(file, "utf8");
    await writeFile(file, own.replace(/"postgresPassword": "\w+"/, `"postgresPassword": "${key}"`));
    expect(await refusal()).toMatch(/does not let us in with the password in secrets.json/);
    await writeFile(file, own);
    await expectData(await start());
  });
});

describe("a copy of the data directory", () => {
  test("that was made while it was in use leaves the original's processes alone", async () => {
    await withData("in-use");
    const original = await start();
    const pids = original.parts().flatMap(({ pid }) => pid ?? []);
    const copy = join(folder, "copy-in-use");
    await cp(dataDir, copy, { recursive: true });
    expect(await refusal({ DATA_DIR: copy })).toMatch(/in use by another start .*or was copied while it was/);
    await rm(join(copy, "run", "lock"));
    await start({ DATA_DIR: copy }).catch(() => undefined);
    expect(pids.map(birthOf)).not.toContain(undefined);
    await expectData(original);
  });
});

/** Tells whether this process may give files to another user: only root may, and not in every namespace. */
function mayGiveFiles(): boolean {
  if (process.getuid?.() !== 0) return false;
  const file = join(mkdtempSync(join(tmpdir(), "web-tester-give-")), "file");
  try {
    writeFileSync(file, "");
    chownSync(file, 1, 1);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(dirname(file), { recursive: true, force: true });
  }
}

(mayGiveFiles() ? describe : describe.skip)("as root (needs the right to give files away)", () => {
  test("a copy that root made starts, and is given to the user that PostgreSQL runs as", async () => {
    await withData("original");
    const { uid } = await stat(join(dataDir, "postgres"));
    expect(uid).not.toBe(0);
    const copy = join(folder, "copy-by-root");
    await cp(dataDir, copy, { recursive: true });
    dataDir = copy;
    expect((await stat(join(dataDir, "postgres", "base"))).uid).toBe(0);
    await expectData(await start());
    expect(lines).toContainEqual(
      expect.stringMatching(/files of .*postgres belonged to another user: giving them to \w+/),
    );
    expect((await stat(join(dataDir, "postgres", "base", "1", "PG_VERSION"))).uid).toBe(uid);
  });

  test("the data of another user are refused", async () => {
    await withData("of-another");
    await chown(join(dataDir, "secrets.json"), 12_345, 12_345);
    expect(await refusal()).toMatch(/belong to another user \(uid 12345, this is 0\): .*chown/);
    await chown(join(dataDir, "secrets.json"), 0, 0);
    await expectData(await start());
  });

  test("data, programs and all below a folder that is closed to others are in order", async () => {
    const closed = join(folder, "closed");
    await mkdir(closed, { mode: 0o700 });
    const binaries = await findBinaries();
    const native = dirname(dirname(binaries.postgres));
    await cp(native, join(closed, "native"), { recursive: true, verbatimSymlinks: true });
    const dir = join(closed, "postgres");
    const [port = 0] = await freePorts(1);
    const { program, url } = await embeddedPostgres({
      binaries: {
        postgres: join(closed, "native", "bin", "postgres"),
        initdb: join(closed, "native", "bin", "initdb"),
      },
      dir,
      port,
      password: "geheim",
      isPasswordNew: false,
      connections: 20,
      logFile: join(folder, "closed.log"),
      log: (line) => lines.push(line),
    });
    expect(lines[0]).toMatch(
      /^PostgreSQL runs as \w+, who may not enter .*closed\/native, from a copy of its programs in/,
    );
    expect((await stat(dir)).uid).not.toBe(0);
    const child = program.spawn();
    try {
      const address = new URL(url);
      address.pathname = "/postgres";
      for (;;) {
        const rows = await query(address.href, "SHOW data_directory").catch(() => undefined);
        if (rows === undefined && child.exitCode === null) continue;
        expect(rows).toEqual([{ data_directory: "/proc/self/cwd" }]);
        break;
      }
      // the child processes of PostgreSQL reach its folder as well
      await query(address.href, "CREATE TABLE kept AS SELECT generate_series(1, 100000) AS answer");
      await query(address.href, "CHECKPOINT");
    } finally {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGINT");
      await gone;
    }
  });

  test("a data directory below a folder that is closed to others is found again", async () => {
    const closed = join(folder, "closed-data");
    await mkdir(closed, { mode: 0o700 });
    await withData("closed-data/data");
    await expectData(await start());
  });
});
