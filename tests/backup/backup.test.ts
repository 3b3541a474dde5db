import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { schemaDrift } from "@web-tester/records/schema/data-source";
import { migrationNames } from "@web-tester/records/schema/migrations";
import { openDatabase } from "@web-tester/platform/database/database";
import { collectStrays, collectUnused } from "@web-tester/records/contents/collect-contents";
import { programOf } from "../../infra/local/bundled.mjs";
import { startStack, type Stack } from "../../infra/local/stack.mjs";
import { type Backing, startBacking } from "../support/backing.js";
import { allowed, type AllowedSecrets, expectAllowed } from "../support/allowed.js";
import { file, png } from "../support/asset-site.js";
import { everything } from "../support/everything.js";
import { invariantFaults, storedFiles } from "../support/invariants.js";
import { crawl, fetchAll, reached, register, runEnded, startFetch } from "../support/job.js";
import { gatewayOnly, startProduct, type Product } from "../support/product.js";
import { manual, type Site, slowly, startSite } from "../support/site.js";
import { contentOf, deleteObject, exportAll, upload } from "../support/transfer.js";
import { until } from "../support/until.js";

/** A backup taken while the product works is restored completely, wherever an earlier backup or restore was interrupted. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const program = programOf("services/backup/dist/main.js");
const command = join(root, "infra/local/backup.mjs");
const going = new AbortController().signal;
/** The secret key of every product here, so that one can decrypt the passwords that another one encrypted. */
const secretKey = "5e".repeat(32);

let secrets: AllowedSecrets;
let folder: string;
let backing: Backing;
let product: Product;
let site: Site;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-backup-"));
  await chmod(folder, 0o711); // PostgreSQL runs as another user if this test runs as root
  const chapters = manual(40, "one");
  const pages = {
    ...chapters,
    "/": `${chapters["/"]}<link rel="stylesheet" href="/a.css"><img src="/a.png"><a href="/missing.html">x</a>`,
    "/a.css": file("text/css", "p { color: red }"),
    "/a.png": file("image/png", png(9, 9, 1)),
  };
  backing = await startBacking();
  [product, site] = await Promise.all([startProduct(backing.env), startSite(pages)]);
  const id = await register(product, site.url);
  await product.rest.call("updateTestObject", {
    params: { id },
    body: {
      auth_enabled: true,
      auth_type: "basic",
      auth_username: "u",
      auth_password: "geheim",
      exclude_list: ["/x*"],
    },
  });
  await crawl(product, id);
  await fetchAll(product, id);
  for (const [path, page] of Object.entries(manual(40, "two"))) site.pages.set(path, page);
  await fetchAll(product, id);
  await upload(product, ['{"testObjects": [], "testInstances": [], "testSnapshots": []}']);
  secrets = await allowed(product, id);
});
afterAll(async () => {
  await product.stop();
  await backing.close();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  said: string[];
  complained: string;
}

/** Runs a program to its end and calls `onLine` for each line that it prints. */
async function run(
  [path, ...args]: string[],
  env: Record<string, string | undefined>,
  onLine: (line: string, child: ChildProcess) => void = () => undefined,
): Promise<Ended> {
  const child = spawn(process.execPath, [path ?? "", ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended: Ended = { code: null, said: [], complained: "" };
  child.stderr.on("data", (part: Buffer) => (ended.complained += part.toString()));
  createInterface({ input: child.stdout }).on("line", (line) => {
    ended.said.push(line);
    onLine(line, child);
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { ...ended, code };
}

/** The environment that tells the backup program where a product keeps its data, and with which keys. */
const placeOf = (stack: Product["stack"], { env }: Backing): Record<string, string> => ({
  ...env,
  DATABASE_URL: stack.databaseUrl,
  STORAGE_URL: stack.storageUrl,
  SECRET_KEY: secretKey,
});
const source = () => placeOf(product.stack, backing);

const killAt = (what: RegExp) => (line: string, child: ChildProcess) => void (what.test(line) && child.kill("SIGKILL"));

async function backUp(name: string): Promise<string> {
  const done = await run([program, "backup", join(folder, name)], source());
  expect(done).toMatchObject({ code: 0, complained: "" });
  return join(folder, name);
}

describe("into another product", () => {
  let dataDir: string;
  let servers: Backing;
  let stack: Stack;
  let started: Product | undefined;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(folder, "data-"));
    await chmod(dataDir, 0o711);
    servers = await startBacking();
    stack = await startStack({ ...process.env, ...servers.env, DATA_DIR: dataDir, PORT: "0" }, { services: false });
  });
  afterEach(async () => {
    await started?.stop();
    started = undefined;
    await stack.stop();
    await servers.close();
  });

  const restore = (from: string, onLine?: (line: string, child: ChildProcess) => void) =>
    run([program, "restore", from], placeOf(stack, servers), onLine);

  async function start(): Promise<Product> {
    await stack.stop();
    started = await startProduct({ ...servers.env, DATA_DIR: dataDir });
    return started;
  }

  async function rows(): Promise<number> {
    const db = openDatabase(stack.databaseUrl, 1, () => undefined);
    const [row] = await db.query<{ n: number }>("SELECT count(*)::int AS n FROM test_snapshot");
    await db.close();
    return row?.n ?? 0;
  }

  test("everything that the API tells is the same, and goes on", async () => {
    const from = await backUp("same");
    expect(await restore(from)).toMatchObject({ code: 0, complained: "" });
    expect(await schemaDrift(stack.databaseUrl)).toEqual([]);
    const other = await start();
    const [total] = await other.db.query(
      "SELECT (SELECT sum(bytes) FROM stored_total) = (SELECT sum(stored_size) FROM content WHERE stored) AS is_right",
    );
    expect(total).toEqual({ is_right: true });
    const [told, wanted] = [await everything(other), await everything(product)];
    expect(wanted.size).toBeGreaterThan(400);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(wanted));
    await expectAllowed(other, told, secrets);
    expect(await invariantFaults({ ...other, acknowledged: product.acknowledged })).toEqual([]);
    // the site receives the password that was restored in its encrypted form
    const seen: (string | undefined)[] = [];
    site.pages.set("/", (request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(200, { "content-type": "text/html" }).end("<title>Again</title>");
    });
    const [object] = await other.rest.call("listTestObjects");
    await fetchAll(other, object?.id ?? "");
    expect(seen).toContain(`Basic ${Buffer.from("u:geheim").toString("base64")}`);
    expect(await invariantFaults(other)).toEqual([]);
    site.pages.set("/", manual(40, "two")["/"] ?? "");
  });

  test("a fetch under way goes on after it, and the collector takes nothing that the backup names", async () => {
    const slow = await startSite(slowly(manual(60, "slow"), 60));
    const gone = await startSite(manual(30, "gone"));
    const goneId = await register(product, gone.url, "Gone");
    await crawl(product, goneId);
    await fetchAll(product, goneId);
    const id = await register(product, slow.url, "Slow");
    await crawl(product, id);
    const runId = await startFetch(product, id);
    await reached(product, runId, 5);
    const collection = { db: product.db, store: product.store, graceMs: 3_600_000, signal: going };
    const age = () => product.db.query("UPDATE content SET touched_at = now() - interval '2 hours'");
    let whileStopped: Promise<number> | undefined;
    const done = await run([program, "backup", join(folder, "moving")], source(), (line, child) => {
      if (!line.startsWith("Rows:")) return;
      child.kill("SIGSTOP");
      whileStopped = (async () => {
        await deleteObject(product, goneId);
        await age();
        const removed = (await collectUnused(collection)) + (await collectStrays({ ...collection, graceMs: 0 }));
        child.kill("SIGCONT");
        return removed;
      })();
    });
    expect(done).toMatchObject({ code: 0, complained: "" });
    expect(done.said.join("\n")).not.toContain("WARNING");
    expect(await whileStopped).toBe(0);
    await runEnded(product, runId);
    // after the backup nothing keeps the collector from removing the deleted contents
    await age();
    expect(await collectUnused(collection)).toBeGreaterThanOrEqual(30);

    expect(await restore(join(folder, "moving"))).toMatchObject({ code: 0, complained: "" });
    const other = await start();
    const { total, completed, failed } = await runEnded(other, runId);
    expect({ total, completed, failed }).toEqual({ total: 60, completed: 60, failed: 0 });
    const objects = await other.rest.call("listTestObjects");
    expect(objects.map((object) => object.name).sort()).toEqual(["Gone", "Manual", "Slow"]);
    expect(await invariantFaults(other)).toEqual([]);
    await Promise.all([slow.close(), gone.close()]);
  });

  test("a restore that is killed can be done again, at every step", async () => {
    const from = await backUp("killed");
    // killed after the bytes were restored and before the rows
    expect((await restore(from, killAt(/^Bytes:/))).code).toBeNull();
    expect(await rows()).toBe(0);
    // within the transaction that restores the rows, which waits for another session's lock on a table
    const holder = openDatabase(stack.databaseUrl, 1, () => undefined);
    const watcher = openDatabase(stack.databaseUrl, 1, () => undefined);
    await holder.transaction(async (tx) => {
      await tx.query("SELECT 1 FROM test_snapshot LIMIT 1");
      let child: ChildProcess | undefined;
      const stuck = restore(from, (_line, process) => (child = process));
      await until("a restore that waits for a table", async () => {
        const waiting = await watcher.query(
          "SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        );
        return waiting.length > 0;
      });
      expect((await restore(from)).complained).toMatch(/Another restore .* is under way/);
      child?.kill("SIGKILL");
      await stuck;
    });
    await Promise.all([holder.close(), watcher.close()]);
    expect(await rows()).toBe(0);
    await until("a restore that finds all bytes", async () => {
      const again = await restore(from, killAt(/^Rows:/));
      // the database server may still be ending the session of the killed restore
      return again.said.some((line) => line.startsWith("Bytes: 0 contents copied")) ? true : undefined;
    });
    expect(await rows()).toBeGreaterThan(0);
    const last = await restore(from);
    expect(last).toMatchObject({ code: 0, complained: "" });
    expect(last.said).toContain("The rows are there already.");
    const other = await start();
    expect(Object.fromEntries(await everything(other))).toEqual(Object.fromEntries(await everything(product)));
  });

  test("what is not empty, or newer, is refused with words", async () => {
    const from = await backUp("refused");
    const db = openDatabase(stack.databaseUrl, 1, () => undefined);
    await db.query("INSERT INTO test_object (name, url) VALUES ('Mine', 'http://mine.example/')");
    expect(await restore(from)).toMatchObject({
      code: 1,
      complained: expect.stringMatching(/database is not empty \(test_object\)/),
    });
    await db.query("DELETE FROM test_object");
    await db.query("INSERT INTO migration (timestamp, name) VALUES (2, 'FromTheFuture2')");
    expect(await restore(from)).toMatchObject({
      code: 1,
      complained: expect.stringMatching(/newer version .*FromTheFuture2/),
    });
    await db.query("DELETE FROM migration WHERE name = 'FromTheFuture2'");
    await db.close();
    const manifest = join(from, "manifest.json");
    // as earlier versions wrote it, without its own digest
    const { sha256: _, ...rest } = JSON.parse(await readFile(manifest, "utf8")) as Record<string, unknown>;
    const text = JSON.stringify(rest, undefined, 2);
    const last = migrationNames.at(-1) ?? "";
    await writeFile(manifest, text.replace(`"${last}"`, `"${last}", "FromTheFuture2"`));
    expect(await restore(from)).toMatchObject({
      code: 1,
      complained: expect.stringMatching(/made by a newer version .*FromTheFuture2/),
    });
    await writeFile(manifest, text.replace('"format": 1', '"format": 9'));
    expect(await restore(from)).toMatchObject({ code: 1, complained: expect.stringMatching(/format 9/) });
    await writeFile(manifest, text);
    expect(await restore(from)).toMatchObject({ code: 0, complained: "" });
  });

  test("a damaged backup is refused with words, and nothing is restored", async () => {
    const whole = await backUp("whole");
    const [rowsFolder = ""] = (await readdir(whole)).filter((name) => name.startsWith("rows-"));
    const [object = ""] = await storedFiles(`file://${join(whole, "objects")}`);
    const inObjects = object.slice(whole.length);
    const damages: [string, RegExp, (copy: string) => Promise<void>][] = [
      [
        "a flipped bit in rows",
        /test_snapshot\.zst is not what was written/,
        (copy) => flip(join(copy, rowsFolder, "test_snapshot.zst")),
      ],
      [
        "rows cut off",
        /change\.zst has \d+ bytes where/,
        (copy) => appendFile(join(copy, rowsFolder, "change.zst"), "x"),
      ],
      ["rows missing", /content\.zst is missing/, (copy) => rm(join(copy, rowsFolder, "content.zst"))],
      [
        "an object missing",
        /1 contents are missing|contents are missing or not what was written/,
        (copy) => rm(join(copy, inObjects)),
      ],
      ["an object damaged", /contents are missing or not what was written/, (copy) => flip(join(copy, inObjects))],
      ["no manifest", /no finished backup/, (copy) => rm(join(copy, "manifest.json"))],
      ["half a manifest", /manifest\.json is not JSON/, (copy) => writeFile(join(copy, "manifest.json"), '{"product"')],
    ];
    for (const [what, words, damage] of damages) {
      const copy = await mkdtemp(join(folder, "damaged-"));
      await cp(whole, copy, { recursive: true });
      await damage(copy);
      const refused = await restore(copy);
      expect([what, refused]).toEqual([
        what,
        expect.objectContaining({ code: 1, complained: expect.stringMatching(words) }),
      ]);
      expect(await rows()).toBe(0);
      await rm(copy, { recursive: true });
    }
    expect(await restore(whole)).toMatchObject({ code: 0, complained: "" });
  });
});

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

test("a backup that is killed leaves the one before, and the next one clears up", async () => {
  const into = join(folder, "again");
  const kill = (what: RegExp) => run([program, "backup", into], source(), killAt(what));
  await kill(/^Rows:/);
  expect((await run([program, "restore", into], source())).complained).toMatch(/no finished backup/);
  const first = await run([program, "backup", into], source());
  expect(first.code).toBe(0);
  const manifest = await readFile(join(into, "manifest.json"), "utf8");
  await kill(/^Rows:/);
  expect(await readFile(join(into, "manifest.json"), "utf8")).toBe(manifest);
  expect((await readdir(into)).filter((name) => name.startsWith("rows-"))).toHaveLength(2);
  const last = await run([program, "backup", into], source());
  expect(last.said.join("\n")).toMatch(/Bytes: 0 contents copied/);
  expect((await readdir(into)).filter((name) => name.startsWith("rows-"))).toHaveLength(1);
});

test("bytes that were damaged in a backup are written again, those that no row names go", async () => {
  const into = await backUp("mended");
  const [one = "", other = ""] = await storedFiles(`file://${join(into, "objects")}`);
  const was = await readFile(one);
  await flip(one);
  await rm(other);
  const stray = join(into, "objects", "ab", `ab${"00".repeat(31)}`);
  await cp(one, stray);
  const done = await run([program, "backup", into], source());
  expect(done.code).toBe(0);
  expect(await readFile(one)).toEqual(was);
  const files = await storedFiles(`file://${join(into, "objects")}`);
  expect(files).toContain(other);
  expect(files).not.toContain(stray);
});

test("the commands of one machine: into an empty data directory, and while it runs", async () => {
  const from = await backUp("to-command");
  const env = { SECRET_KEY: secretKey, DATABASE_URL: "", STORAGE_URL: "", NATS_URL: "" };
  const empty = async () => {
    const dataDir = await mkdtemp(join(folder, "data-"));
    await chmod(dataDir, 0o711);
    return dataDir;
  };
  const [dataDir, otherDir] = [await empty(), await empty()];
  const restored = await run([command, "restore", from], { ...env, DATA_DIR: dataDir });
  expect(restored).toMatchObject({ code: 0, complained: "" });
  const one = await startProduct({ DATA_DIR: dataDir });
  const into = join(folder, "by-command");
  const backed = await run([command, "backup", into], { ...env, DATA_DIR: dataDir });
  expect(backed).toMatchObject({ code: 0, said: expect.arrayContaining([expect.stringMatching(/^Backed up to/)]) });
  const busy = await run([command, "restore", into], { ...env, DATA_DIR: dataDir });
  expect(busy).toMatchObject({ code: 1, complained: expect.stringMatching(/is in use by another start/) });
  await one.stop();
  const wrongKey = await run([command, "restore", into], { ...env, DATA_DIR: otherDir, SECRET_KEY: "77".repeat(32) });
  expect(wrongKey).toMatchObject({ code: 0, complained: "" });
  expect(wrongKey.said.join("\n")).toMatch(
    /WARNING: site passwords were encrypted with another key, and so were .* secrets of channels, to which no message is sent/,
  );
  const other = await startProduct({ ...gatewayOnly, DATA_DIR: otherDir });
  expect(contentOf(await exportAll(other))).toEqual(contentOf(await exportAll(product)));
  await other.stop();
});
