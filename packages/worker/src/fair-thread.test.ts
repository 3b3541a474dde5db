import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { createFairThread, type FairThread } from "./fair-thread.js";

const filename = join(import.meta.dirname, "test-slow-worker.ts");
let thread: FairThread<{ holdMs: number }, number>;
afterEach(() => thread.close());

test("time that is spent waiting for a turn is not the task's own", async () => {
  // the deadline counts CPU time of the process: on a busy machine the three tasks take much longer
  thread = createFairThread({ filename, deadlineMs: 1_000, maxHeapMb: 64 });
  const hostile = Array.from({ length: 3 }, () => thread.run("hostile", { holdMs: 60_000 }).catch(() => "given up"));
  const good = await thread.run("good", { holdMs: 0 });
  expect(good).toBe(0);
  expect(await Promise.all(hostile)).toEqual(["given up", "given up", "given up"]);
}, 60_000);

test("another owner does not wait for all that came before", async () => {
  thread = createFairThread({ filename, deadlineMs: 60_000, maxHeapMb: 64 });
  const order: string[] = [];
  const run = (owner: string) => thread.run(owner, { holdMs: 1 }).then(() => order.push(owner));
  await Promise.all([...Array.from({ length: 9 }, () => run("many")), run("other")]);
  expect(order).toHaveLength(10);
  expect(order.indexOf("other")).toBeLessThan(3);
});
