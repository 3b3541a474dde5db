import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { lockFolder } from "./folder-lock.js";

const minuteMs = 60_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "folder-lock-"));
});
afterEach(async () => {
  jest.useRealTimers();
  await rm(folder, { recursive: true });
});

/** How much older than a file that is written now the lock is, in ms. */
async function ageOfLock(): Promise<number> {
  const file = join(folder, "now");
  await writeFile(file, "");
  const [now, lock] = await Promise.all([stat(file), stat(join(folder, "lock"))]);
  return now.mtimeMs - lock.mtimeMs;
}

test.each([-5, 5])(
  "a holder whose clock is wrong by %i minutes renews its lock by the folder's clock",
  async (minutes) => {
    jest.useFakeTimers({
      now: Date.now() + minutes * minuteMs,
      doNotFake: [
        ...(["hrtime", "nextTick", "performance", "queueMicrotask", "setImmediate", "clearImmediate"] as const),
        ...(["setTimeout", "clearTimeout"] as const),
      ],
    });
    const lock = await lockFolder(folder, "backup");
    const { ino, ctimeMs } = await stat(join(folder, "lock"));
    jest.advanceTimersByTime(5_000);
    // the renewal has reached the file
    for (let tries = 0; tries < 200 && (await stat(join(folder, "lock"))).ctimeMs === ctimeMs; tries++) await wait(10);
    const renewed = await stat(join(folder, "lock"));
    expect([renewed.ino, renewed.ctimeMs > ctimeMs]).toEqual([ino, true]);
    expect(Math.abs(await ageOfLock())).toBeLessThan(minuteMs);
    await lock.release();
  },
);
