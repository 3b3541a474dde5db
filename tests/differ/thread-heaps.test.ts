import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, expect, test } from "@jest/globals";

/** A thread of the differ keeps no garbage of a long task while it waits for the next one. */
let thread: Worker | undefined;
afterEach(() => thread?.terminate());

const module = new URL("../../services/differ/dist/steps/thread-heaps.js", import.meta.url).href;

/** Runs a task in a thread that takes some CPU time and leaves 100 MB of garbage. @returns the size of its heap afterwards, in MB */
async function heapAfter(cpuMs: number): Promise<number> {
  const code = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(module)}).then(({ thenReturnMemory }) => {
      thenReturnMemory(() => {
        const kept = [];
        for (let i = 0; i < 15; i++) kept.push(new Array(1_000_000).fill(i));
        const before = process.threadCpuUsage();
        for (let used = 0; used < ${cpuMs} * 1000; ) {
          const { user, system } = process.threadCpuUsage(before);
          used = user + system;
        }
      });
      parentPort.postMessage("done");
      setInterval(() => undefined, 1_000);
    });`;
  thread = new Worker(code, {
    eval: true,
    resourceLimits: { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 1024 },
  });
  await once(thread, "message");
  return (await thread.getHeapStatistics()).total_heap_size / 1_048_576;
}

test("after a long task the memory is given back", async () => {
  expect(await heapAfter(1_000)).toBeLessThan(30);
});

test("the control: a short task is not made longer by collecting", async () => {
  expect(await heapAfter(0)).toBeGreaterThan(60);
});
