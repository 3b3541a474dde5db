import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "@web-tester/platform/database/database";
import { createHostSemaphore } from "@web-tester/records/hosts/host-semaphore";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { until } from "../support/until.js";

/** What a process holds that is frozen, or whose machine is gone, becomes free for others before that process comes back. */
let own: OwnDatabase;
const children: ChildProcess[] = [];

beforeAll(async () => {
  own = await startDatabase();
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await own.stop();
});

const host = "slow.test";
const size = 2;
const silentMs = 4_000;

/** Starts a process that takes a place at the host. */
async function holdPlace(): Promise<ChildProcess> {
  const program = fileURLToPath(new URL("../support/hold-place.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, own.url, host, String(size), String(silentMs)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  expect(String(said)).toBe("held");
  return child;
}

test("the place of a frozen process at a host becomes free, that of one that lives does not", async () => {
  const places = createHostSemaphore(own.url, size, undefined, silentMs);
  const frozen = await holdPlace();
  const other = "other.test";
  const living = await places.tryTake(other, "now");
  expect(living).not.toBeNull();
  expect(await places.tryTake(host, "now")).toBeNull();
  frozen.kill("SIGSTOP");
  const third = createHostSemaphore(own.url, size, undefined, silentMs);
  const release = await until("the place", async () => (await third.tryTake(host, "now")) ?? undefined);
  expect(await third.tryTake(other, "now")).toBeNull();
  release();
  await Promise.all([places.close(), third.close()]);
});

test("so are the rows that it locked in a transaction; its transaction is over, and it goes on with another", async () => {
  await own.db.query("INSERT INTO host_gate (host, next_at) VALUES ('frozen.test', now())");
  const [usual] = await own.db.query("SHOW idle_in_transaction_session_timeout");
  expect(usual).toEqual({ idle_in_transaction_session_timeout: "1min" });
  const lock = "SELECT 1 FROM host_gate WHERE host = 'frozen.test' FOR UPDATE NOWAIT";
  await expect(
    own.db.transaction(async (tx) => {
      await tx.query("SET LOCAL idle_in_transaction_session_timeout = 100");
      await tx.query(lock);
      await until("somebody else to get the row", () =>
        own.db.query(lock).then(
          () => true,
          () => false,
        ),
      );
      await tx.query("DELETE FROM host_gate");
    }),
  ).rejects.toMatchObject({ code: "unavailable" });
  expect(await own.db.query("SELECT host FROM host_gate")).toEqual([{ host: "frozen.test" }]);
});

test("work that waits for something else while it holds locks is let be", async () => {
  const said = await own.db.transaction((tx) => tx.query("SHOW idle_in_transaction_session_timeout"), { once: true });
  expect(said).toEqual([{ idle_in_transaction_session_timeout: "0" }]);
  expect(await own.db.query("SHOW idle_in_transaction_session_timeout")).toEqual([
    { idle_in_transaction_session_timeout: "1min" },
  ]);
});

test("a connection that the server ends is told without the connection itself, which a log would write out", async () => {
  const told: Error[] = [];
  const db = openDatabase(own.url, 1, (error) => void told.push(error));
  const [idle] = await db.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  await own.db.query("SELECT pg_terminate_backend($1)", [idle?.pid]);
  await until("the end of the connection", () => told.length > 0);
  expect(JSON.stringify(told[0]).length).toBeLessThan(1_000);
  expect(told[0]).toMatchObject({ code: "57P01" });
  await db.close();
});
