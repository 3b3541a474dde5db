import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createCrawlDelay } from "@web-tester/records/hosts/crawl-delay";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** Pauses of hosts are moments of the database's clock, which may be set back, as on a machine that began with a wrong one. */
let own: OwnDatabase;
beforeAll(async () => {
  own = await startDatabase();
});
afterAll(() => own.stop());

const { signal } = new AbortController();
const enter = (host: string, delayMs: number) => createCrawlDelay(own.db).enter(host, delayMs, signal);

/** What the rows look like after the clock was set back. */
async function setBack(host: string, time: string): Promise<void> {
  const later = "next_at = next_at + $2::interval, held_until = held_until + $2::interval";
  await own.db.query(`UPDATE host_gate SET ${later} WHERE host = $1`, [host, time]);
}

test.each([
  ["a delay between requests", 100],
  ["a pause that it asked for", 0],
])("a host with %s does not stand still until the clock is there again", async (what, delayMs) => {
  const host = `${what.replaceAll(" ", "-")}.test`;
  const delay = createCrawlDelay(own.db);
  await delay.push(host, 60_000);
  // a pause of the right clock is kept
  expect(await enter(host, delayMs)).toMatchObject({ kind: "later", waitMs: expect.any(Number) });
  await setBack(host, "1 hour");
  const entry = await enter(host, delayMs);
  expect(entry.kind).toBe("go");
  if (entry.kind === "go") await entry.leave();
  await delay.push(host, 60_000);
  const again = await enter(host, delayMs);
  expect(again.kind).toBe("later");
  expect(again.kind === "later" && again.waitMs <= 60_000 && again.waitMs > 55_000).toBe(true);
});

test("nor does one that was being asked when its worker died", async () => {
  const host = "held.test";
  const entry = await enter(host, 5_000);
  expect(entry.kind).toBe("go");
  expect(await enter(host, 5_000)).toMatchObject({ kind: "later" });
  await setBack(host, "1 hour");
  expect(await enter(host, 5_000)).toMatchObject({ kind: "go" });
});
